// The door "toolmap/providers".
export {};
