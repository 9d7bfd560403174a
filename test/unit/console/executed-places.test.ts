/** Which parameters of a request the console shows as executed or redacted. */
import { names, pathOf } from '../../../console/approvals/items.ts';

test.each<[string, readonly string[], boolean]>([
  ['command', ['$.parameters.command'], true],
  ['command', ['$.parameters.command[0].run'], true],
  ['command', ['$.target', '$.parameters'], true],
  ['bash script', ['$.parameters["bash script"]'], true],
  ['command', ['$.parameters.commander'], false],
  ['command', ['$.target'], false],
  ['command', [], false],
])('[approval.secret-in-program] %s is among %j: %s', (name, paths, expected) => {
  expect(names(paths, pathOf(name))).toBe(expected);
});
