/**
 * Lines out of a seed: everyday commands by a small grammar, and mutations of them towards everything that shells and
 * programs are known to read in more than one way.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text has its own
import type { Runnable } from './lab.ts';

/** Numbers that follow from a seed (mulberry32). */
export class Chance {
  private state: number;
  constructor(seed: number) {
    this.state = seed >>> 0;
  }
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  below(count: number): number {
    return Math.floor(this.next() * count);
  }
  pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }
  is(probability: number): boolean {
    return this.next() < probability;
  }
}

export const files =
  'README.md package.json src/index.ts src/a.ts src/b.ts src/parser.ts src/lib/c.ts test/index.test.ts docs/intro.md docs/setup.md data/words.txt data/numbers.txt data/sample.csv data/table.tsv data/left.txt logs/app.log notes.txt requirements.txt app.py lines.txt names.txt config/app.yml ./README.md src/../README.md'.split(
    ' ',
  );
export const folders = 'src test docs data logs config . src/lib ./src'.split(' ');
const patterns = [
  "'TODO'",
  'foo',
  "''",
  '.',
  "'^import'",
  '"a b"',
  'token',
  "'a\\|b'",
  "'[a-z]*'",
  'TOKEN',
  '-e foo',
  "'x y'",
  '-i token',
];
const numbers = '1 2 5 10 100 +2 -3 0'.split(' ');

/** Programs with options that people give them, some rarer, some that write or run. */
const options: Readonly<Record<string, string>> = {
  ls: '-l -a -la -1 -R -t -d -lh --color=never -F -i -s --sort=size --hide=a -I x -w80 -T 4',
  cat: '-n -A -b -s -v -e -E -T -- --number -u',
  head: '-n5 -5 -c10 -q -v --lines=3 --bytes=4 -n',
  tail: '-n5 -5 -c10 -q -n+2 --lines=3 -r -v',
  wc: '-l -w -c -m -L --lines --files0-from=README.md',
  nl: '-ba -w3 -s: -n -v1',
  sort: '-n -r -u -k2 -t, -rn -h -V -f -b -c -m -s -z -o --output=PWNED -T . --compress-program=touch --key=1 --rev --uniq --parallel=1 -S1M',
  uniq: '-c -d -u -i -f1 -s1 -w2 --count --skip-fields=1 -D -z',
  cut: '-d, -f1 -f1,2 -c1-5 -b1 -s --output-delimiter=x --complement -d : -d"," --fields=1',
  tr: '-d -s -c -t a-z A-Z x y',
  paste: '-s -d, -d: --serial',
  comm: '-1 -2 -12 -3 --total --check-order',
  diff: '-u -q -y -w -b -r -N -c -U1 --brief --color=never -x a --from-file=README.md --to-file=README.md -rN -s',
  cmp: '-l -s -n4 -i1 --verbose',
  grep: '-n -i -v -c -l -L -o -w -x -E -F -P -q -s -h -H -r -R -rn -A1 -B2 -C3 -m1 --include=*.ts --exclude=a -f --color=never -d recurse -z -a --file=README.md --max-count=1 -e',
  rg: '-n -i -v -c -l -w -F -g *.ts -t ts -tjs -A1 -C2 -m1 --hidden -u -uu --files --no-ignore -S -o --json --pre touch -L -z --sort path -e',
  find: '-name -type f -type d -maxdepth 1 -newer README.md -size +0 -empty -print -print0 -not -path -iname -delete -exec -ls -prune -o ( ) ! -mindepth 1 -fprint PWNED -printf %p -quit -follow -L -regex',
  sed: '-n -E -r -e -f -i -s -z -u --quiet --expression=p --in-place --posix -l5 --debug --sandbox',
  awk: '-F, -F: -v -f -e -i',
  jq: '-r -c -n -s -S -e -M -j -a --tab --arg --slurp --raw-output -f --indent 2 -L',
  du: '-s -h -a -c -d1 --max-depth=1 -X -k -sh --time --exclude=a',
  stat: '-c %n -f -t -L --format=%s --printf=%n',
  file: '-b -i -L -f -m -z -C --mime -k',
  od: '-c -x -An -tx1 -N4 -j1 -v -w8 -s',
  xxd: '-l8 -s2 -p -r -c4 -g1 -b -i -u -ps -plain -E -o1',
  hexdump: '-C -n4 -s1 -v -c -x -f -e',
  strings: '-n4 -a -t x -e s -f',
  base64: '-d -w0 -i --decode --wrap=10',
  md5sum: '-b -c --check --tag -z',
  sha256sum: '-b -c --check --tag',
  column: '-t -s, -c80 -x -N a,b -J',
  fold: '-w20 -s -b',
  rev: '-',
  tac: '-s, -b -r --separator=x',
  tree: '-L1 -a -d -f -I x -P *.ts -o PWNED --prune -J -R -H .',
  basename: '-a -s .ts -z --suffix=.md',
  dirname: '-z --',
  readlink: '-f -e -m -n -q',
  realpath: '-e -s -m --relative-to=. -z',
  echo: '-n -e -E $x "$x" *',
  printf: "'%s\\n' '%d' %b -v x '%q'",
  seq: '-s, -w -f %g 1 5',
  date: '-u +%F -d now -r -f --date=now -I -R -s --set=x --reference=README.md',
  expr: '1 + 2 length abc : a',
  join: '-t, -1 1 -j1 -a1 -o 1.1 -e x -v1 -i',
  fmt: '-w20 -u -s -p x',
  expand: '-t4 -i',
  which: '-a ls git',
  type: '-a -t ls',
  command: '-v -V -p ls git',
};

const gitLines =
  'status|status -s|status --porcelain|diff --stat|diff --name-only|diff HEAD~1 --stat|diff -- src/a.ts|diff src/a.ts|log --oneline|log -1|log -n 2 --stat|log --format=%H|log --oneline -- src|log -p -- src/a.ts|log --graph --all|log -S foo|log --grep=fix|show --stat|show --name-only HEAD|show HEAD:README.md|show v1.0 --stat|blame src/a.ts|blame -L 1,2 README.md|branch|branch -a|branch -vv|branch --show-current|branch --list x|tag|tag -l|tag --list v1|rev-parse HEAD|rev-parse --abbrev-ref HEAD|rev-list --count HEAD|ls-files|ls-files src|ls-tree HEAD|ls-tree -r HEAD --name-only|describe --tags|shortlog -sn HEAD|merge-base main feat/x|grep foo -- src/a.ts|grep -n foo|version|log --all -p|diff|show|log -L1,1:src/a.ts|log --follow README.md|diff --no-index README.md notes.txt|diff --word-diff src/a.ts|log --output=PWNED|diff --ext-diff|show :README.md|cat-file -p HEAD|grep -O foo|branch x|branch -f x|tag x|log -g|describe --dirty|rev-parse --git-dir|ls-files -o|ls-files --eol'.split(
    '|',
  );

const scripts = [
  "'s/a/b/'",
  "'1,3p'",
  "'/foo/d'",
  '5q',
  "'$p'",
  "'s/a/b/w PWNED'",
  "'1e touch PWNED'",
  "'r .env'",
  "'s/x/y/e'",
  'p',
  "'1!G;h;$!d'",
  "'y/ab/cd/'",
  "'/a/,/b/p'",
  "'1i x'",
  's,a,b,',
];
const programs = [
  "'{print $1}'",
  "'NR==1'",
  "'END{print NR}'",
  "'{s+=$1} END {print s}'",
  "'/a/'",
  '\'{print > "PWNED"}\'',
  '\'BEGIN{system("touch PWNED")}\'',
  "'!seen[$0]++'",
  "'length > 3'",
  "'{print FILENAME}'",
  '\'{"id" | getline x}\'',
];
const filters = [
  '.',
  '.name',
  "'.[0]'",
  "'keys'",
  'length',
  "'.[] | .id'",
  'env',
  "'$ENV'",
  "'input_filename'",
  '-n 1',
  "'map(.id)'",
  'input',
];
const expressions = [
  "'*.ts'",
  '-type f',
  "-name '*.md'",
  '-name x -print',
  '-maxdepth 1',
  '-newer README.md',
  "-name '*.ts' -exec cat {} +",
  '-delete',
  "-name '*.ts' -o -name '*.md'",
  '-size +1M',
  "-exec touch PWNED ';'",
  '-fprintf PWNED x',
  "-printf '%p\\n'",
  '-empty',
  '-mtime -1',
  '-ok id \\;',
  '-files0-from README.md',
];

const separators = ['; ', ' && ', ' || ', ' | ', '\n', ' & ', ' |& ', ';'];
const redirects = [
  '2>/dev/null',
  '> /dev/null',
  '2>&1',
  '>/dev/null 2>&1',
  '< README.md',
  '&> /dev/null',
  '>&2',
  '2>&-',
  '<<< x',
  '>| PWNED',
  '> PWNED',
  '>> README.md',
  '&>PWNED',
  '>&PWNED',
  '<>PWNED',
  '< .env',
  '{fd}>PWNED',
  '3>PWNED',
  '< <(id)',
  '<<E\nx\nE',
  "<<$'E'\nx\n$E\nid\nE",
  '<<"E"\n$(id)\nE',
  "<<'E'\n`id`\nE",
  '<<-E\n\tx\n\tE',
  '</dev/tcp/127.0.0.1/8139',
  '1>&2',
];

/** Put somewhere into a line. */
export const fragments = [
  '$(id)',
  '`id`',
  '"$(touch PWNED)"',
  '${x:-$(id)}',
  '${x:=PWNED}',
  '$x',
  '"$x"',
  '${x}',
  '${#x}',
  '${x%a}',
  '${x//a/b}',
  '${x:y}',
  '${x:0:1}',
  '${!x}',
  '${x@P}',
  '${x[0]}',
  '${x[y]}',
  '${x[@]}',
  '$((1+1))',
  '$((y))',
  '$[1]',
  '$((x[0]))',
  "$'a'",
  "$'\\''",
  '$"a"',
  "$'\\x41'",
  '~',
  '~root',
  '~+',
  '$HOME',
  '$PWD/..',
  '..',
  '../outside.txt',
  '.env',
  'config/secrets.yml',
  '*',
  '*.ts',
  '?',
  '[a-z]*',
  '.*',
  '{a,b}',
  '{1..3}',
  '{a,b}{c,d}',
  'a{,b}',
  '@(a|b)',
  '!(a)',
  '+(x)',
  '!!',
  '!$',
  '#',
  '#x',
  '\\\n',
  '\\',
  "''",
  '""',
  "'",
  '"',
  '(',
  ')',
  '{',
  '}',
  '[[',
  ']]',
  '[',
  ']',
  '<',
  '>',
  '|',
  '&',
  ';',
  ';;',
  '((',
  '))',
  '=',
  'x=1',
  '-',
  '--',
  '-o',
  'PWNED',
  '-oPWNED',
  '--output=PWNED',
  '--o=PWNED',
  '--out',
  '-i',
  '-f',
  '--file',
  '--e',
  '-e',
  "'w PWNED'",
  "-e 'w PWNED'",
  '-r',
  '-R',
  '--recursive',
  '-n',
  'time',
  '!',
  'then',
  'do',
  'done',
  'in',
  'fi',
  'esac',
  'function',
  'coproc',
  '\t',
  '\r',
  '\u00a0',
  '\u200b',
  'é',
  '\\x',
  '$@',
  '$*',
  '$1',
  '$?',
  '$#',
  '$-',
  '$$',
  '$_',
  '${x^^}',
  '${x,,}',
  '${@:1}',
  '<(id)',
  '>(id)',
  '%',
  '+',
  '@',
  ',',
  ':',
];

const variables =
  'x y f IFS PATH HOME PWD LC_ALL NODE_ENV GIT_DIR GIT_EXTERNAL_DIFF GIT_PAGER PAGER LESSOPEN TZ CI PYTHONPATH BASH_ENV ENV PS4 LD_PRELOAD GREP_OPTIONS TAR_OPTIONS RIPGREP_CONFIG_PATH JQ_COLORS POSIXLY_CORRECT GLOBIGNORE SHELLOPTS BASHOPTS BASH_FUNC_ls OPTIND SECONDS RANDOM LINENO TMPDIR AWKPATH GREP_COLORS COLUMNS'.split(
    ' ',
  );
const values = [
  '1',
  'a',
  'src',
  "'touch PWNED;'",
  'tools',
  '..',
  '.env',
  '"$x"',
  '$(id)',
  '/etc',
  "'$(id)'",
  "'x[$(id)]'",
  '$y',
  'a:b',
  '.',
  "''",
  '~',
  'notes.txt',
  '--pre=touch',
];

/** Around a line. */
const frames: readonly string[] = [
  '( % )',
  '{ %; }',
  'if %; then ls; fi',
  'if ls; then %; fi',
  'for f in a b; do %; done',
  'for f in src/*.ts; do % "$f"; done',
  'for V in W; do export V; %; done',
  'for V in W; do %; done',
  'while read -r x; do %; done < names.txt',
  'while false; do %; done',
  'until true; do %; done',
  'case a in a) %;; esac',
  'case x in a|b) ls;; *) % ;& c) ls;; esac',
  '! %',
  'time %',
  'echo "$(%)"',
  'echo $(%)',
  'x=$(%); echo "$x"',
  'x="$(%)"',
  '[ -f README.md ] && %',
  '[[ -f README.md ]] && %',
  '[[ a == b ]] || %',
  '[[ a > b ]] && %',
  '[[ -n $x && a < b ]]; %',
  'test -d src && %',
  'V=W %',
  'export V=W; %',
  'V=W; %',
  'V=W; % $V',
  'V=W; % "${V:y}"',
  ': ${V:=W}; %',
  'read V < notes.txt; %',
  'printf -v V %s W; %',
  'declare V=W; %',
  'declare -i V=W; %',
  'local V=W; %',
  'readonly V=W; %',
  'set -a; V=W; %',
  'set -e; %',
  'set -euo pipefail; %',
  'set -x; %',
  'set -o noglob; %',
  'set -f; %',
  'shopt -s nullglob; %',
  'env V=W %',
  'env -i %',
  'env -u V %',
  'command %',
  'command -p %',
  'builtin %',
  'exec %',
  'nohup %',
  'nice %',
  'nice -n 5 %',
  'timeout 5 %',
  'timeout -k 1 5 %',
  'timeout --k=1 5 %',
  'stdbuf -oL %',
  'setsid %',
  'setarch -R %',
  'setarch x86_64 %',
  'flock PWNED %',
  'flock README.md %',
  'ionice -c3 %',
  'xargs %',
  'PAGER=cat %',
  'GIT_PAGER= %',
  'GIT_EDITOR=true %',
  'LESS=-FRX %',
  'echo a | xargs %',
  'echo PWNED | xargs %',
  "echo '1e id' | xargs -I{} %",
  'echo src/a.ts | xargs -n1 %',
  'echo x | xargs -ix %',
  'cat names.txt | xargs %',
  'cd src && %',
  'cd src; %',
  '(cd src && %)',
  'cd .. && %',
  'cd; %',
  'cd - ; %',
  'f() { %; }; f',
  'function f { %; }; f',
  'ls() { %; }',
  'trap "%" EXIT',
  "trap '%' EXIT",
  "eval '%'",
  'eval "%"',
  "sh -c '%'",
  "bash -c '%'",
  'sudo %',
  "find . -name a.hex -exec % ';'",
  "find . -name '*.ts' | xargs %",
  'alias ls="%"',
  '% #',
  '# %',
  '# x\n%',
  '% \\\n',
  'true && %',
  'false || %',
  '% || true',
  '%; echo done',
  'cat <<E\n$(%)\nE',
  "cat <<'E'\n%\nE",
  'cat <(%)',
  '% > /dev/null',
  '% 2>/dev/null | head',
  '% | head -5',
  '% | sort | uniq -c',
  '% | wc -l',
  '% | tail -3 | cut -c1-5',
  'busybox %',
  'tee < README.md | %',
  'let V=W; %',
  '((V=1)); %',
  'unset V; %',
  'getopts a V; %',
  'mapfile -t V < notes.txt; %',
  'select V in a; do %; break; done < names.txt',
  'coproc %',
  'pushd src; %',
  'hash -r; %',
  'umask 022; %',
  'ulimit -c 0; %',
  'wait; %',
  'V=(W b); %',
  'V[0]=W; %',
  'V+=W; %',
  'export V; %',
  'typeset -r V=W; %',
  'source ./lines.txt; %',
  '. ./lines.txt; %',
];

export class Lines {
  private readonly chance: Chance;
  private readonly corpus: readonly string[];
  private readonly attacks: readonly string[];

  /**
   * @param corpus everyday lines that are mutated beside those of the grammar.
   * @param attacks lines that do harm; what is left of one after a mutation may still do it.
   */
  constructor(seed: number, corpus: readonly string[], attacks: readonly string[]) {
    this.chance = new Chance(seed);
    this.corpus = corpus;
    this.attacks = attacks;
  }

  next(): Runnable {
    const { chance } = this;
    if (chance.is(0.12)) return this.vector();
    if (chance.is(0.15)) return this.mutated(this.mutated(chance.pick(this.attacks)));
    let line = chance.is(0.25) ? chance.pick(this.corpus) : this.command();
    if (chance.is(0.25)) line += chance.pick(separators) + this.command();
    const kind = chance.next();
    if (kind < 0.35) line = this.framed(line);
    for (let more = chance.next(); more < 0.35; more = chance.next()) line = this.mutated(line);
    return line;
  }

  private vector(): Runnable {
    const words = this.command()
      .replaceAll("'", '')
      .replaceAll('"', '')
      .split(/\s+/)
      .filter((word) => word !== '');
    if (this.chance.is(0.3)) words.splice(1 + this.chance.below(words.length), 0, this.chance.pick(fragments));
    return words;
  }

  private command(): string {
    const { chance } = this;
    if (chance.is(0.12)) return `git ${chance.pick(gitLines)}${chance.is(0.1) ? ` ${this.operand()}` : ''}`;
    const program = chance.pick(Object.keys(options));
    const words = [program];
    const known = options[program]!.split(' ');
    for (let count = chance.pick([0, 0, 1, 1, 2, 3]); count > 0; count--) words.push(chance.pick(known));
    if (/^(?:grep|rg)$/.test(program)) words.push(chance.pick(patterns));
    if (program === 'sed') words.push(chance.pick(scripts));
    if (program === 'awk') words.push(chance.pick(programs));
    if (program === 'jq') words.push(chance.pick(filters));
    if (program === 'find') words.splice(1, 0, chance.pick(folders));
    if (program === 'find') words.push(chance.pick(expressions));
    else for (let count = chance.pick([0, 1, 1, 1, 2]); count > 0; count--) words.push(this.operand());
    if (chance.is(0.15)) words.push(chance.pick(redirects));
    return words.join(' ');
  }

  private operand(): string {
    const kind = this.chance.next();
    if (kind < 0.72) return this.chance.pick(files);
    if (kind < 0.82) return this.chance.pick(folders);
    if (kind < 0.9) return this.chance.pick(numbers);
    return this.chance.pick(fragments);
  }

  private framed(line: string): string {
    const { chance } = this;
    return chance
      .pick(frames)
      .replaceAll('W', () => chance.pick(values))
      .replaceAll(/\bV\b/g, chance.pick(variables))
      .replace('%', () => line);
  }

  private mutated(line: string): string {
    const { chance } = this;
    const at = chance.below(line.length + 1);
    const blanks = [...line.matchAll(/ /g)].map(({ index }) => index);
    const blank = blanks.length > 0 ? chance.pick(blanks) : line.length;
    switch (chance.below(8)) {
      case 0:
        return `${line.slice(0, blank)} ${chance.pick(fragments)}${line.slice(blank)}`;
      case 1:
        return line.slice(0, at) + chance.pick(fragments) + line.slice(at);
      case 2:
        return line.slice(0, at) + line.slice(at + 1);
      case 3:
        return line.slice(0, blank) + chance.pick(separators) + line.slice(blank + 1);
      case 4:
        // Shorter long options.
        return line.replace(
          /--([a-z][a-z-]+)/,
          (_, name: string) => `--${name.slice(0, 1 + chance.below(name.length))}`,
        );
      case 5:
        return `${line} ${chance.pick(redirects)}`;
      case 6:
        return this.framed(line);
      default: {
        const quote = chance.pick(["'", '"', "$'", '\\']);
        const close = quote === '\\' ? '' : quote.at(-1)!;
        return line.slice(0, at) + quote + line.slice(at, at + 2) + close + line.slice(at + 2);
      }
    }
  }
}
