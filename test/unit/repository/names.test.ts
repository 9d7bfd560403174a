/** Names are nouns and verbs of the field: the metaphors that reviews found do not come back. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What is declared under such a name, whatever follows it: `told`, `toldBy`, `nobodyDecided`. */
const declared =
  /\b(?:const|let|function\*?|class|interface|type|readonly|static|get|async)\s+#?((?:told|nobody|somebody|whoever|ours|greet|greeting|burn|burnt|shelf|lookout|outlet|outbox|flights|patience|anew|mind|healedLater|carryOut|leftToCaller|roomOf|door)(?=[A-Z\s:=(<?,;]|$)\w*)/gi;

test('[repository.voice] no function, type, constant or member has a metaphor as its name', () => {
  const folders = ['core', 'adapters', 'lambdas', 'lib', 'bin', 'operator', 'console'];
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], { encoding: 'utf8' });
  const sources = listed.split('\n').filter((path) => /\.tsx?$/.test(path) && existsSync(path));
  expect(sources.length).toBeGreaterThan(1_000);
  const found = sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(declared)].map(([, name]) => `${path}: ${name}`),
  );
  expect(found).toEqual([]);
});
