/**
 * Node's HTTP module. A value import of `node:http` reads every export, and some of them load Node's fetch client, which
 * takes 50 ms of CPU time and 3 MB of memory.
 */
export const http = process.getBuiltinModule('node:http');
