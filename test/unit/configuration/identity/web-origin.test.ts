/** Which web pages may open the WebSocket. */

import * as z from 'zod';
import { areBothHere, assertOrigin } from '#core/configuration/identity/web-origin.ts';
import { readCases } from '../../../support/yaml.ts';

const rows = z.array(z.tuple([z.array(z.string()), z.string(), z.boolean()]));
const cases = readCases(
  'test/unit/configuration/identity/web-origin.yaml',
  z.strictObject({ allowed: rows, local: rows }),
);

const allowed = ['https://app.example'];
const allows =
  (origins: readonly string[], host: string | undefined, listed = allowed) =>
  () =>
    assertOrigin(origins, host, listed);

test.each([...cases.allowed, [[''], undefined, false], [['no url'], undefined, false]])(
  '%j to %s: %s',
  (origins, host, expected) => {
    if (expected) expect(allows(origins, host)).not.toThrow();
    else expect(allows(origins, host)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  },
);

test.each([...cases.local, [['http://localhost:6274'], undefined, false]])(
  '[cors.headers] %j and %s are both on this machine: %s',
  (origins, host, expected) => {
    expect(areBothHere(origins, host)).toBe(expected);
  },
);

test('a star allows any origin', () => {
  expect(allows(['https://any.example'], 'gw.example', ['*'])).not.toThrow();
});
