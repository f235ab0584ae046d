// The door "toolmap/testing".
export {};
