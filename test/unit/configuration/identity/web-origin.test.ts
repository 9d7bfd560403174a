/** Which pages may open the WebSocket. */
import { areBothHere, assertOrigin } from '#core/configuration/identity/web-origin.ts';

const allowed = ['https://app.example'];
const allows =
  (origins: readonly string[], host: string | undefined, listed = allowed) =>
  () =>
    assertOrigin(origins, host, listed);

test.each([
  [[], 'gw.example', true],
  [['https://app.example'], 'gw.example', true],
  [['https://gw.example'], 'gw.example', true],
  [['http://127.0.0.1:8080'], '127.0.0.1:8080', true],
  [['http://GW.example'], 'gw.EXAMPLE', true],
  [['http://127.0.0.1:3000'], '127.0.0.1:8080', false],
  [['https://evil.example'], 'gw.example', false],
  [['https://app.example.evil.example'], 'gw.example', false],
  [['http://app.example'], 'gw.example', false],
  [['null'], 'gw.example', false],
  [[''], undefined, false],
  [['no url'], undefined, false],
  [['https://app.example', 'https://app.example'], 'gw.example', false],
])('%j to %s: %s', (origins, host, expected) => {
  if (expected) expect(allows(origins, host)).not.toThrow();
  else expect(allows(origins, host)).toThrow(expect.objectContaining({ code: 'forbidden' }));
});

test.each([
  [['http://localhost:6274'], '127.0.0.1:8082', true],
  [['http://127.0.0.1:6274'], 'localhost:8082', true],
  [['https://[::1]:1'], '[::1]:8082', true],
  [['http://localhost:6274'], 'gw.example', false],
  [['http://localhost:6274'], undefined, false],
  [['http://evil.example'], '127.0.0.1:8082', false],
  [['http://localhost.evil.example'], '127.0.0.1:8082', false],
  [['http://localhost@evil.example'], '127.0.0.1:8082', false],
  [['http://localhost:1'], '127.0.0.1.evil.example', false],
  [['null'], '127.0.0.1:8082', false],
  [[], '127.0.0.1:8082', false],
  [['http://localhost:1', 'http://evil.example'], '127.0.0.1:8082', false],
])('[mcp.loopback-origin] %j at %s are both on this machine: %s', (origins, host, expected) => {
  expect(areBothHere(origins, host)).toBe(expected);
});

test('a star allows every page', () => {
  expect(allows(['https://any.example'], 'gw.example', ['*'])).not.toThrow();
});
