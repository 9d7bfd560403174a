/** Shell lines that show a secret file's name, size or date, and their neighbours that may show its contents. */
import { readPolicyFile, simulator } from '../../bin/agentctl/policy-file.ts';

const shell = (command: string) =>
  ({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } }) as const;
const lines = (text: string): readonly string[] => text.trim().split(/\n\s*/);

const names = lines(`
  ls -la .env
  ls .env*
  stat .env
  stat --printf=%s .env
  wc -c .env
  wc -l .env
  du -h .env
  tree .env
  realpath .env
  test -f .env
  [ -f .env ]
  [ -f .env ] && echo yes
  find . -name .env
  git ls-files .env
  git ls-files --error-unmatch .env
  ls server.pem
  LC_ALL=C ls .env
`);
const contents = lines(`
  cat .env
  head -1 .env
  cp .env a.txt
  wc -l < .env
  cat .env | wc -c
  wc -L .env
  wc --files0-from=.env
  ls -la .env && cat .env
  ls .env; source .env
  ls --frob .env
  ls $(cat .env)
  ls > .env
  du -X .env .
  du --files0-from=.env
  tree --gitfile=.env
  tree --infofile .env
  tree --info .env
  tree --gitignore .env
  tree -o .env
  LD_PRELOAD=./x.so ls .env
  env LD_PRELOAD=./x.so ls .env
  find . -name .env -exec cat {} +
  find -files0-from .env
  find . -newer a -fprint .env
  find .env -delete
  find .env -exec cat {} +
  stat .env | xargs cat .env
  git ls-files -s .env
  git ls-files -u .env
  git ls-files --unmerged .env
  git ls-files --resolve-undo .env
  git ls-files --format=%(objectname) .env
  git ls-files -o --exclude-per-directory=.env
  git ls-files -o --exclude-from=.env
  git ls-files -X .env -o
  git check-ignore -v --stdin .env
  git hash-object .env
  file .env
  md5sum .env
`);

/** Names that another command opens. */
const opened = lines(`
  ls .env | xargs cat
  realpath .env | xargs cat
  cat $(ls .env)
  f=$(ls .env); cat "$f"
  for f in $(ls .env); do cat "$f"; done
  ls .env | while read f; do cat "$f"; done
  ls() { cat "$@"; }; ls .env
  alias ls=cat; ls .env
  PATH=. ls .env
`);

describe.each(['coding-agent', 'pr-writer'])('[policy.secret-names] under %s', (pack) => {
  let decide: ReturnType<typeof simulator>;
  beforeAll(async () => {
    decide = simulator(await readPolicyFile(`policies/${pack}.yaml`));
  });
  /** Returns the lines that are decided otherwise. */
  const others = async (all: readonly string[], expected: string): Promise<readonly string[]> => {
    const decided = await Promise.all(all.map(async (line) => [line, (await decide(shell(line))).decision] as const));
    return decided.filter(([, decision]) => !expected.includes(decision)).map((each) => each.join(' → '));
  };

  test('a line that shows only names, sizes and counts is allowed', async () => {
    expect(await others(names, 'allow')).toEqual([]);
  });

  test('a line that may show contents is blocked', async () => {
    expect(await others(contents, 'block')).toEqual([]);
  });

  test('a line that may open what it names is not allowed', async () => {
    expect(await others(opened, 'review or block')).toEqual([]);
  });
});
