/** The last output of a server that ended. */
import { StderrTail } from '#adapters/mcp/stderr-tail.ts';

const lastOf = (text: string): string => {
  const tail = new StderrTail();
  tail.add(text);
  return tail.last([]);
};

test('[mcp.stdio-start] an error’s message is included, but its stack is not', () => {
  const thrown = `node:internal/modules/cjs/loader:1458
  throw err;
  ^

Error: Cannot find module '/srv/server.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1455:15)
    at async Promise.all (index 0)
    at Array.map (<anonymous>)
    at /srv/other.mjs:3:7
    at node:internal/main/run_main_module:33:47 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.21.0
`;
  const last = lastOf(thrown);
  expect(last).toContain("Error: Cannot find module '/srv/server.mjs' | ");
  expect(last).not.toMatch(/loader:1455|Array\.map|other\.mjs|run_main_module/);
});
