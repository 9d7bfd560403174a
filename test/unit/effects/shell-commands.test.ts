/** Commands of a shell line, and commands in another: what each does, and to what. */
import { run, told } from './shell-lines.ts';

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

test.each([
  ['git -C fixtures/repo status', {}],
  ['cd fixtures/repo && git log -1', {}],
  ['(cd fixtures/repo; git diff --stat)', {}],
  ['cd fixtures/repo || git status', {}],
  ['env -C fixtures/repo git status', {}],
  ['git status', { cwd: 'fixtures/repo' }],
  ['git -C .. -C other status', {}],
  ['GIT_DIR=fixtures/repo git status', {}],
  ['git --git-dir=fixtures/repo status', {}],
  ['git --work-tree fixtures/repo status', {}],
])('[effects.git-folder] %s with %j is unclear', (line, more) => {
  expect(run(line, more).unclear).toBeDefined();
});

test.each([
  ['git status', {}],
  ['git -C . log -1', {}],
  ['git -C ./ status', {}],
  ['cd . && git status', {}],
  ['(cd fixtures/repo && ls) && git status', {}],
  ['git -C fixtures/repo --version', {}],
  ['git log -1 -- fixtures/repo', {}],
  ['git -C /home/bob/app status', { workspace: '/home/bob/app' }],
])('[effects.git-folder] %s with %j is read', (line, more) => {
  expect(run(line, more).unclear).toBeUndefined();
});
