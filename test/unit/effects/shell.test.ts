/** Shell text becomes effects: which command acts on what, in which capability, and what is not certain. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text has its own
import type { ToolCall } from '#core/contracts/envelope.ts';
import { resolveAt } from '#core/effects/paths.ts';
import { shellEffects } from '#core/effects/shell.ts';

const run = (command: string, parameters: Record<string, unknown> = {}) =>
  shellEffects({
    protocol: 'shell',
    tool: 'shell.run',
    target: '',
    capability: 'execute',
    parameters: { command, ...parameters },
  });

/** `read cat a.txt`: one text for each effect. */
const told = (command: string, parameters?: Record<string, unknown>): string[] =>
  run(command, parameters).parts.map(({ capability, tool, target }) =>
    `${capability} ${tool.slice(6)} ${target}`.trim(),
  );

const calling = (call: Partial<ToolCall>) =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: {}, ...call });

describe('words', () => {
  test.each([
    ['cat \'a b\' "c d" e\\ f', ['read cat a b', 'read cat c d', 'read cat e f']],
    ['cat a \\\n  b', ['read cat a', 'read cat b']],
    ['cat {a,b}{1,2}', ['read cat a1', 'read cat a2', 'read cat b1', 'read cat b2']],
    ['cat f{1..3}', ['read cat f1', 'read cat f2', 'read cat f3']],
    ['cat f{01..3}', ['read cat f01', 'read cat f02', 'read cat f03']],
    ['cat {a..c..2}', ['read cat a', 'read cat c']],
    ["cat '{a,b}' {c}", ['read cat {a,b}', 'read cat {c}']],
    ['cat a#b # c', ['read cat a#b']],
    [
      'cat ~/x ~bob/y $HOME/z "$HOME/w" $PWD/v',
      ['read cat ~/x', 'read cat ~bob/y', 'read cat ~/z', 'read cat ~/w', 'read cat v'],
    ],
    ['cat ./a//b/../c /x/./y', ['read cat a/c', 'read cat /x/y']],
    ['head -n3 a; exit $?', ['read head a']],
  ])('%j → %j', (line, effects) => {
    expect([told(line), run(line).unclear]).toEqual([effects, undefined]);
  });

  test.each([
    'cat $x',
    'cat "$x"',
    'cat ${x:-a}',
    'cat $(ls)',
    'cat `ls`',
    'cat <(ls)',
    'cat *',
    'cat a?',
    'cat [ab]',
    'cat $?',
    'cat a\\\nb',
    "cat $'a\\tb'",
    'cat $"a"',
    'cat ~+',
    '$x a',
    'r* a',
    '/bin/r? a',
    '!! a',
  ])('what %j means is only known when it runs', (line) => expect(run(line).unclear).toBeDefined());

  test('a wildcard that says how names end is certain', () => {
    expect(run('cat src/*.test.ts').unclear).toBeUndefined();
  });
});

describe('grammar', () => {
  test.each([
    ['cat a; cat b & cat c\ncat d', ['a', 'b', 'c', 'd']],
    ['cat a && cat b || cat c | cat d |& cat e', ['a', 'b', 'c', 'd', 'e']],
    ['(cat a; (cat b))', ['a', 'b']],
    ['{ cat a; cat b; }', ['a', 'b']],
    ['if cat a; then cat b; elif cat c; then cat d; else cat e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while cat a; do cat b; done; until cat c; do cat d; done', ['a', 'b', 'c', 'd']],
    ['for i in 1 2; do cat a; done', ['a']],
    ['for i; do cat a; done', ['a']],
    ['case x in (a|b) cat a ;; *) cat b ;& c) cat c; esac', ['a', 'b', 'c']],
    ['[[ -f a && ! -d $b ]] && cat c', ['c']],
    ['! cat a', ['a']],
    ['time -p cat a', ['a']],
    ['echo "$(cat a; echo "$(cat b)")"', ['a', 'b']],
    ['echo `cat a; echo $(cat b)`', ['a', 'b']],
    ['echo ${x:-$(cat a)} $(( $(cat b) + 1 )) && (cat c)', undefined],
    ['x=$(cat a) y=(b $(cat c))', ['a', 'c']],
    ['cat <<A - <<B\n$(cat a)\nA\n$(cat b)\nB\ncat c', ['a', 'b', 'c']],
    ["cat <<'A'\n$(cat a)\nA", []],
    ['cat <<-A\n\t$(cat a)\n\tA', ['a']],
    ['function f { cat a; }', ['a']],
    ['f() ( cat a )', ['a']],
    ['cat a # ; cat b', ['a']],
  ])('%j reads %j', (line, files) => {
    const read = run(line)
      .parts.filter(({ tool, target }) => tool === 'shell.cat' && target !== '')
      .map(({ target }) => target);
    if (files === undefined) expect(run(line).unclear).toBeDefined();
    else expect(read.sort()).toEqual(files);
  });

  test.each([
    'cat "a',
    "cat 'a",
    'cat $(ls',
    'cat `ls',
    'cat ${x',
    '(cat a',
    'cat a)',
    '{ cat a',
    'if cat a; then cat b',
    'for i in a; cat',
    'case a in b) c',
    'cat <<A\nb',
    'cat <<A\nb\\\nA\n',
    'cat a; ; cat b',
    '&& cat',
    'cat a |',
    'fi',
    'cat a (b)',
    'cat a\\',
    'cat a\rb',
    'cat a\u0000b',
    'cat a\u200bb',
    'cat a\u00a0b',
    'echo "\u202e"',
    '((i = 1))',
    'echo $((i + 1))',
    'echo $[1]',
    'echo ${ ls; }',
    'echo ${x@P}',
    '[[ a || rm ]]',
    "x='a[$(ls)]'",
    '@(a|b)',
  ])('%j is not read for certain', (line) => {
    expect(run(line).unclear).toEqual(expect.stringMatching(/^[a-z$(["[]/));
  });
});

describe('redirections', () => {
  test.each([
    ['ls > out', ['write redirect out', 'read ls .']],
    ['ls >> out', ['write redirect out', 'read ls .']],
    ['ls >| out 2> err', ['write redirect out', 'write redirect err', 'read ls .']],
    ['ls &> out', ['write redirect out', 'read ls .']],
    ['ls >& out', ['write redirect out', 'read ls .']],
    ['> out', ['write redirect out']],
    ['wc < in', ['read redirect in', 'read wc']],
    ['{ ls; } > out', ['write redirect out', 'read ls .']],
    ['ls > /dev/null 2>&1 3>&- < /dev/null', ['read ls .']],
  ])('%j → %j', (line, effects) => expect([told(line), run(line).unclear]).toEqual([effects, undefined]));
});

describe('a command in another', () => {
  test.each([
    ['bash -c "rm a"'],
    ["sh -ec 'rm a'"],
    ['bash -o pipefail -c "rm a" x y'],
    ['bash -c \'sh -c "rm a"\''],
    ['eval rm a'],
    ['eval "rm" "a"'],
    ['env A=1 rm a'],
    ["env -S 'rm a'"],
    ['command rm a'],
    ['exec rm a'],
    ['builtin command rm a'],
    ['nohup nice -n 5 rm a'],
    ['timeout -k 1 5s rm a'],
    ['stdbuf -oL rm a'],
    ['xargs -n1 rm a'],
    ['ls | xargs -I{} rm a'],
    ['find . -exec rm a \\;'],
    ['find . -execdir rm a {} +'],
    ['busybox rm a'],
    ['busybox sh -c "rm a"'],
    ['sudo -u bob rm a'],
    ['doas rm a'],
    ['watch -n 1 rm a'],
    ['ssh host rm a'],
    ["ssh host 'ls; rm a'"],
    ['flock lock rm a'],
    ['su -c "rm a" bob'],
    ['script -c "rm a" log'],
    ["trap 'rm a' EXIT"],
    ["git -c alias.x='!rm a' x"],
    ['git submodule foreach "rm a"'],
    ["git rebase --exec 'rm a' main"],
    ['git bisect run rm a'],
    ['parallel rm a ::: b'],
    ['echo "rm a" | sh'],
    ["printf '%s\\n' 'rm a' | bash"],
    ["echo -e '\\x72m a' | sh"],
    ['sh <<< "rm a"'],
    ['sh <<E\nrm a\nE'],
    ['cat <<E | sh\nrm a\nE'],
    ['(echo x; echo "rm a") | cat; echo "rm a" | (sh)'],
  ])('%j deletes', (line) => expect(told(line)).toContain('delete rm a'));

  test('not more than eight lines deep', () => {
    const nested = (depth: number): string => (depth === 0 ? 'rm a' : `eval ${JSON.stringify(nested(depth - 1))}`);
    expect(run(nested(3)).unclear).toBeUndefined();
    expect(run(nested(9)).unclear).toBe('lines are nested in lines more than 8 times');
  });

  test('who takes rights is an effect beside what it runs', () => {
    expect(told('sudo -n ls a')).toEqual(['execute sudo -n ls a', 'read ls a']);
  });

  test.each([
    ['CI=1 ls', { CI: '1' }],
    ['NO_COLOR= ls', { NO_COLOR: '' }],
    ['LANG=C LC_ALL=en_US.UTF-8 ls', { LANG: 'C', LC_ALL: 'en_US.UTF-8' }],
    ['env TZ=Europe/Berlin NODE_ENV=test ls', { TZ: 'Europe/Berlin', NODE_ENV: 'test' }],
  ])('[effects.display-variables] %s: what only changes how it shows things stands apart', (line, display) => {
    expect(run(line)).toMatchObject({ parts: [{ parameters: { argv: ['ls'], display } }] });
    expect(run(line).parts.at(-1)?.parameters).not.toHaveProperty('env');
  });

  test.each([
    'CI=../x ls',
    'LANG=/tmp/x ls',
    'TZ=/etc/passwd ls',
    'NODE_ENV=production ls',
    'RUST_BACKTRACE=$X ls',
    'CI=1 PORT=2 ls',
  ])('[effects.display-variables] %s: another value or variable counts as before', (line) =>
    expect(run(line).parts.at(-1)?.parameters).toHaveProperty('env'),
  );

  test('variables in front stand beside the part, and those that steer programs make it unsure', () => {
    expect(run('PORT=1 ls').parts[0]?.parameters).toEqual({ argv: ['ls'], env: { PORT: '1' } });
    expect(run('PORT=1 ls').unclear).toBeUndefined();
    for (const name of ['LD_PRELOAD', 'PATH', 'GIT_SSH_COMMAND', 'BASH_ENV', 'IFS', 'PYTHONSTARTUP'])
      expect(run(`${name}=x ls`).unclear).toContain(name);
    expect(run('export PATH=x; ls').unclear).toContain('PATH');
  });
});

describe('commands', () => {
  test.each([
    ['rm -rf a b', ['delete rm a', 'delete rm b']],
    ['rm -- -a', ['delete rm -a']],
    ['RM a', ['delete rm a']],
    ['/usr/bin/rm a', ['delete rm a']],
    ['/tmp/rm a', ['execute /tmp/rm a']],
    ['cp a b', ['read cp a', 'write cp b']],
    ['cp -t dir a b', ['write cp dir', 'read cp a', 'read cp b']],
    ['mv a b', ['write mv a', 'write mv b']],
    ['dd if=a of=b', ['read dd a', 'write dd b']],
    ['tee -a x', ['write tee x']],
    ['chmod +s a', ['write chmod a']],
    ['head -n 5 a', ['read head a']],
    ['head -5 a', ['read head a']],
    ['sort -o b a', ['write sort b', 'read sort a']],
    ['sort --outp=b a', ['write sort b', 'read sort a']],
    ['grep -f p a', ['read grep p', 'read grep a']],
    ['grep -e x -e y a', ['read grep a']],
    ['uniq a b', ['read uniq a', 'write uniq b']],
    ['ls', ['read ls .']],
    ['sed -i s/a/b/ f', ['write sed f']],
    ['sed -n 1,5p f', ['read sed f']],
    ["awk -F: '{print $1}' f", ['read awk f']],
    ['find a b -name x', ['read find a', 'read find b']],
    ['find . -delete', ['read find .', 'delete find .']],
    ['find . -fprint o', ['read find .', 'write find o']],
    ['tar xf a.tar -C d', ['read tar a.tar', 'write tar d']],
    ['tar xfC a.tar d', ['read tar a.tar', 'write tar d']],
    ['tar -xfa.tar -C d', ['read tar a.tar', 'write tar d']],
    ['tar czf a.tgz d', ['write tar a.tgz', 'read tar d']],
    ['curl https://h/x', ['read curl https://h/x']],
    ['curl -o f https://h/x', ['write curl f', 'read curl https://h/x']],
    ['curl -d @f https://h/x', ['read curl f', 'write curl https://h/x']],
    ['wget -O f https://h/x', ['write wget f', 'read wget https://h/x']],
    ['docker run -v /:/mnt x', ['execute docker run -v /:/mnt x', 'write docker /']],
    ['pytest -q tests', ['execute pytest -q tests']],
    ['python3.11 a.py', ['execute python3.11 a.py']],
    ['python3 --version', ['read python3 --version']],
    ['frobnicate a b', ['execute frobnicate a b']],
    ['bash a.sh', ['execute bash a.sh']],
    ['source a.sh', ['execute source a.sh']],
  ])('%s → %j', (line, effects) => expect(told(line)).toEqual(effects));

  test.each([
    ['git status -sb', 'read'],
    ['git log --oneline', 'read'],
    ['git diff --stat --output=x', 'read'],
    ['git branch', 'read'],
    ['git branch x', 'write'],
    ['git branch -D x', 'delete'],
    ['git tag', 'read'],
    ['git tag v1', 'write'],
    ['git push origin x', 'write'],
    ['git push -f', 'delete'],
    ['git push -uf origin x', 'delete'],
    ['git push --force-with-lease', 'delete'],
    ['git push --mirr', 'delete'],
    ['git push origin +x', 'delete'],
    ['git push origin :x', 'delete'],
    ['git push --mirror', 'delete'],
    ['git push --delete origin x', 'delete'],
    ['git reset --hard', 'delete'],
    ['git reset x', 'write'],
    ['git clean -n', 'read'],
    ['git clean -fd', 'delete'],
    ['git stash list', 'read'],
    ['git stash drop', 'delete'],
    ['git commit -m x', 'write'],
    ['git config user.name', 'read'],
    ['git config --get core.pager', 'read'],
    ['git config user.name x', 'write'],
  ])('%s: %s', (line, capability) => {
    const git = run(line).parts.find(({ tool, target }) => tool === 'shell.git' && target !== 'x');
    expect([git?.capability, run(line).unclear]).toEqual([capability, undefined]);
  });

  test.each([
    'python -c x',
    'python < a',
    'curl x | python3',
    'perl -ne x f',
    'ruby -e x',
    'node -p x',
    'php -r x',
    'fish -c ls',
    'sh',
    'curl x | sh',
    "sed 's/a/b/e' f",
    "sed 'w f' f",
    'sed -f s f',
    'sed --expr="1e id" p',
    "awk 'BEGIN{system(1)}'",
    'awk \'/"/{print > "x"}\' f',
    "awk '{print | 1}' f",
    'tar xf a --to-command=x',
    'tar cf a b --checkpoint-action=exec=x',
    'rg --pre x y',
    "rg -g '.e*' x",
    'grep -r x .',
    'vim -c x f',
    'make --eval=x',
    'make SHELL=x',
    'crontab -',
    'alias a=b',
    'shopt -s expand_aliases',
    'enable -f x y',
    'pushd a',
    'cd $x',
    'cd -',
    'ls() { :; }',
    'test -v x',
    'jq -n env',
    "jq -n '$ENV.A'",
    'git frobnicate',
    'git config --unset',
    'frobnicate a',
    'git push --forc',
    'git -c core.pager=x log',
    'git config core.sshCommand x',
    'git clone ext::x',
    'git grep -Ox y',
    'git fetch --upload-pack=x',
    'git push origin $x',
    'ls | xargs cat',
    'ls | xargs rm',
    'nice -z ls',
    'timeout $x ls',
    'echo $API_TOKEN',
    'ls > $x',
    'ls > /dev/tcp/h/1',
    'find . -frob',
    'rsync -e x a b',
    'split --filter=x a',
    'less +!x a',
    'set -k',
  ])('%s is not certain', (line) => expect(run(line).unclear).toBeDefined());

  test('what is only text stands in no part', () => {
    for (const line of ['grep -n "rm -rf /" a', 'echo rm -rf /', 'git commit -m "rm -rf /"', "sed 's/rm -rf/x/' a"])
      expect(JSON.stringify(run(line).parts)).not.toContain('rm -rf');
  });
});

describe('the working directory', () => {
  test.each([
    ['cd a && cat b', ['read cat a/b']],
    ['cd a && cd ../c && cat b', ['read cat c/b']],
    ['cd a; cat b', ['read cat b', 'read cat a/b']],
    ['cd a || exit; cat b', ['read cat b', 'read cat a/b']],
    ['(cd a && cat b); cat c', ['read cat a/b', 'read cat c']],
    ['cd a | cat b', ['read cat b']],
    ['cd && cat b', ['read cat ~/b']],
    ['cd /etc && cat b', ['read cat /etc/b']],
    ['env -C a cat b', ['read cat a/b']],
    ['echo $(cd a && cat b) && cat c', ['read cat a/b', 'read echo', 'read cat c']],
  ])('%s → %j', (line, effects) => expect(told(line).sort()).toEqual([...effects].sort()));

  test('of the call stands before everything', () => {
    expect(told('cat b', { cwd: '/etc' })).toEqual(['read cat /etc/b']);
    expect(run('git -C d status', { cwd: 'a' }).parts[0]?.parameters.cwd).toBe('a/d');
  });

  test.each([
    ['', 'a/../b', 'b'],
    ['', '../a', '../a'],
    ['x', '../../a', '../a'],
    ['/x', '../../a', '/a'],
    ['/x', '~/a/../b', '~/b'],
    ['~', '../a', '/home/a'],
    ['', '~/..', '/home'],
    ['', '~bob//c', '~bob/c'],
    ['a', '', 'a'],
    ['', '.', '.'],
  ])('%j and %j lead to %j', (cwd, path, place) => expect(resolveAt(cwd, path)).toBe(place));
});

describe('where the line stands', () => {
  const rm = [expect.objectContaining({ tool: 'shell.rm', target: 'x', capability: 'delete' })];

  test.each<Partial<ToolCall>>([
    { target: 'rm x' },
    { parameters: { command: 'rm x' } },
    { parameters: { cmd: 'rm x' } },
    { parameters: { script: 'rm x' } },
    { parameters: { line: 'rm x' } },
    { parameters: { argv: ['rm', 'x'] } },
    { parameters: { args: ['rm', 'x'] } },
    { parameters: { command: ['rm', 'x'] } },
    { parameters: { command: 'rm', args: ['x'] }, target: '' },
    { tool: 'shell.bash', parameters: { args: ['-c', 'rm x'] } },
    { tool: 'shell.sh', target: '-c "rm x"' },
    { tool: 'Shell.Exec', protocol: 'SHELL', target: 'rm x' },
    { protocol: 'mcp', tool: 'run_command', parameters: { command: 'rm x' } },
    { protocol: 'mcp', tool: 'runCommand', parameters: { command: 'rm x' } },
    { protocol: 'mcp', tool: 'server.bash', parameters: { cmd: 'rm x' } },
    { protocol: 'shell', tool: 'server.run_command', parameters: { command: 'rm x' } },
  ])('%j carries it', (call) => {
    const effects = calling(call);
    expect(effects.parts).toEqual(expect.arrayContaining(rm));
    expect(effects.carrier).toBe(true);
  });

  test.each<Partial<ToolCall>>([
    { tool: 'shell.rm', target: 'x', capability: 'read' },
    { tool: 'shell.rm', target: 'rm x' },
    { tool: 'shell.rm', parameters: { args: ['x'] } },
    { tool: 'shell.rm', parameters: { argv: ['rm', 'x'] } },
    { tool: 'shell./bin/rm', target: 'x' },
    { tool: 'shell.ls', target: 'a; rm x' },
    { tool: 'shell.ls', target: 'a', parameters: { command: 'rm x' } },
    { protocol: 'mcp', tool: 'jira.get_issue', parameters: { command: 'rm x' } },
    { protocol: 'mcp', tool: 'search_logs', parameters: { shellCommand: 'rm x' } },
  ])('%j is no carrier, and deletes', (call) => {
    const effects = calling(call);
    expect(effects.parts).toEqual(expect.arrayContaining(rm));
    expect(effects.carrier).toBe(false);
  });

  test.each<Partial<ToolCall>>([
    { tool: 'shell.cat', target: 'a.txt', capability: 'read' },
    { tool: 'shell.rm', target: 'x', capability: 'delete' },
    { tool: 'shell.pytest', target: 'tests/', capability: 'execute' },
    { protocol: 'mcp', tool: 'jira.get_issue', parameters: { text: 'rm x', line: 'rm x', args: ['rm', 'x'] } },
    { protocol: 'mcp', tool: 'run_command', parameters: { text: 'rm x' } },
    { protocol: 'sql', tool: 'sql.execute', parameters: { command: 'rm x' } },
    { protocol: 'http', tool: 'http.run', parameters: { command: 'rm x' } },
  ])('%j stands for itself', (call) => {
    expect(calling(call)).toEqual({ parts: [], carrier: false });
  });

  test.each([{ command: { rm: 'x' } }, { args: [{}] }, { command: 'ls', shell: 'powershell' }])(
    '%j is not certain',
    (parameters) => {
      expect(calling({ parameters }).unclear).toBeDefined();
    },
  );

  test('names that every object has are names like others', () => {
    expect(run('constructor a').parts[0]?.tool).toBe('shell.constructor');
    expect(run('git toString').parts[0]?.capability).toBe('execute');
    expect(run('git __proto__').parts[0]?.capability).toBe('execute');
  });
});

describe('[effects.workspace] absolute paths inside the workspace that the call names', () => {
  const inside = { workspace: '/home/bob/app' };

  test.each([
    ['cat /home/bob/app/src/a.ts', ['read cat src/a.ts']],
    ['cat /home/bob/app//src/./a.ts', ['read cat src/a.ts']],
    ['ls /home/bob/app', ['read ls .']],
    ['cd /home/bob/app/src && cat /home/bob/app/src/a.ts', ['read cat src/a.ts']],
    ['git -C /home/bob/app status', ['read git status']],
    ['cat a > /home/bob/app/out.txt', ['write redirect out.txt', 'read cat a']],
    // What is not inside, or not certain, stays as it is.
    ['cat /home/bob/app2/a.ts', ['read cat /home/bob/app2/a.ts']],
    ['cat /home/bob/app/../.ssh/id', ['read cat /home/bob/.ssh/id']],
    ['cat /etc/hosts', ['read cat /etc/hosts']],
    ['cd src && cat /home/bob/app/lib/a.ts', ['read cat /home/bob/app/lib/a.ts']],
    ['awk /home/bob/app/p a', ['read awk a']],
  ])('%j → %j', (line, effects) => {
    expect(told(line, inside)).toEqual(effects);
  });

  test.each(['cd lib; cat /home/bob/app/a.ts', 'cd ..; cat /home/bob/app/a.ts'])(
    '%j: where the line stands is not certain, so it stays absolute',
    (line) => expect(new Set(told(line, inside))).toEqual(new Set(['read cat /home/bob/app/a.ts'])),
  );

  test('words of a script are not paths', () => {
    // The command `b` of sed, a jump; without the folder it would be another one.
    expect(run('sed -n /home/bob/app/p a.ts', inside).unclear).toBeDefined();
    expect(run('cat -- /home/bob/app/-n', inside).parts[0]?.parameters.argv).toEqual(['cat', '--', './-n']);
  });

  test.each(['/', '/etc', '/etc/app', 'app', '/home/bob/', '/home/../etc', '/home//bob', '', 7, ['/home/bob']])(
    '%j is not one: the line is not certain',
    (workspace) => {
      const { parts, unclear } = run('cat /home/bob/a', { workspace });
      expect([parts[0]?.target, unclear]).toEqual(['/home/bob/a', expect.stringContaining('workspace')]);
    },
  );

  test('a tool of another protocol names none', () => {
    const parameters = { command: 'cat /home/bob/app/.env', ...inside };
    const { parts } = calling({ protocol: 'mcp', tool: 'files.run_command', parameters });
    expect(parts[0]?.target).not.toBe('.env');
  });
});

describe('[effects.background] what goes on in the background', () => {
  test.each(['npm test &', 'npm test & ls', '(npm test) & git status', 'ls && mkdir a &', 'npm test; npm test &'])(
    '%j is not certain',
    (line) => expect(run(line).unclear).toContain('background'),
  );
  test.each(['ls &', 'cat a & git status; wait', 'npm test; ls &', 'npm test && ls'])('%j is certain', (line) =>
    expect(run(line).unclear).toBeUndefined(),
  );
});
