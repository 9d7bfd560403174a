/** Well-known commands whose operands are files or only text, as a table of their options. */
import type { Capability } from './invocation.ts';

/** Lists of options are separated by blanks. */
export interface Habits {
  readonly does: Capability;
  /** Short options that take a value, and long ones. */
  readonly values?: string;
  readonly long?: string;
  /** Options whose value is a file that is read or written, that is only text, and options that run or load something. */
  readonly reads?: string;
  readonly writes?: string;
  readonly texts?: string;
  readonly runs?: string;
  /** Options that make it write what it else would read. */
  readonly changes?: string;
  /** Operands that are only text: all, or the first unless one of `texts` or `reads` gives it. */
  readonly text?: 'all' | 'first';
  /** Shows names and sizes, not contents. */
  readonly names?: boolean;
  /** Without operands it acts on the working directory. */
  readonly here?: boolean;
  /** The second operand is written. */
  readonly second?: 'write';
  /** Options with which it reads whatever lies below its operands, hidden files included. */
  readonly everything?: string;
}

const count: Habits = { does: 'read', values: 'ncs', long: 'lines bytes sleep-interval pid' };
const sum: Habits = { does: 'read', values: 'al', long: 'algorithm length' };
const grep: Habits = {
  does: 'read',
  values: 'ABCmdDef',
  long: 'after-context before-context context max-count directories devices include binary-files',
  texts: '-e --regexp --exclude --exclude-dir --label',
  reads: '-f --file --exclude-from',
  text: 'first',
  everything: '-r -R --recursive --dereference-recursive -d --directories',
};
const text: Habits = { does: 'read', text: 'all' };

export const binaries: Readonly<Record<string, Habits>> = {
  cat: { does: 'read' },
  head: count,
  tail: count,
  tac: { does: 'read', values: 's', long: 'separator' },
  nl: { does: 'read', values: 'bdfhilnsvw' },
  rev: { does: 'read' },
  fold: { does: 'read', values: 'w' },
  fmt: { does: 'read', values: 'wgp' },
  expand: { does: 'read', values: 't' },
  unexpand: { does: 'read', values: 't' },
  cut: {
    does: 'read',
    values: 'dfbc',
    long: 'delimiter fields bytes characters output-delimiter',
    texts: '-d --delimiter',
  },
  paste: { does: 'read', values: 'd', texts: '-d' },
  join: { does: 'read', values: '12jtoeav' },
  comm: { does: 'read' },
  cmp: { does: 'read', values: 'ni' },
  diff: {
    does: 'read',
    values: 'UCIxXFLW',
    reads: '-X --exclude-from --to-file --from-file',
    writes: '--output',
    texts: '-I -F -L',
  },
  od: { does: 'read', values: 'AjNStw' },
  hexdump: { does: 'read', values: 'nsef', reads: '-f', texts: '-e' },
  hd: { does: 'read', values: 'ns' },
  xxd: { does: 'read', values: 'clsgo', second: 'write' },
  strings: { does: 'read', values: 'nte' },
  file: { does: 'read', values: 'fmFeP', reads: '-f -m --files-from --magic-file' },
  wc: { does: 'read', reads: '--files0-from' },
  md5sum: sum,
  sha1sum: sum,
  sha224sum: sum,
  sha256sum: sum,
  sha384sum: sum,
  sha512sum: sum,
  shasum: sum,
  b2sum: sum,
  cksum: sum,
  sum,
  base64: { does: 'read', values: 'w', long: 'wrap' },
  base32: { does: 'read', values: 'w', long: 'wrap' },
  iconv: { does: 'read', values: 'fto', writes: '-o --output' },
  column: { does: 'read', values: 'csoNRHTWE' },
  zcat: { does: 'read' },
  bzcat: { does: 'read' },
  xzcat: { does: 'read' },
  zgrep: grep,
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    ...grep,
    values: 'ABCmeftTgjMEdr',
    long: `${grep.long} glob iglob type type-not pre max-depth sort sortr replace threads`,
    texts: '-e --regexp -r --replace',
    runs: '--pre --hostname-bin --search-zip -z --type-add --type-clear --files',
    everything: '--hidden -. -u --unrestricted --no-ignore',
    here: true,
  },
  sort: {
    does: 'read',
    values: 'ktoST',
    long: 'key field-separator output buffer-size temporary-directory compress-program files0-from parallel',
    writes: '-o --output -T --temporary-directory',
    runs: '--compress-program --files0-from',
    texts: '-t --field-separator',
  },
  uniq: { does: 'read', values: 'fsw', second: 'write' },
  tr: text,
  ls: { does: 'read', values: 'IwT', names: true, here: true, texts: '-I --ignore --hide' },
  dir: { does: 'read', names: true, here: true },
  tree: { does: 'read', values: 'LPIoH', writes: '-o', names: true, here: true, texts: '-P -I' },
  du: {
    does: 'read',
    values: 'dBtX',
    long: 'max-depth exclude',
    reads: '-X --exclude-from --files0-from',
    names: true,
    here: true,
    texts: '--exclude',
  },
  df: { does: 'read', values: 'Btx', names: true },
  stat: { does: 'read', values: 'cf', long: 'format printf', names: true, texts: '-c -f --format --printf' },
  readlink: { does: 'read', names: true },
  realpath: { does: 'read', names: true },
  less: {
    does: 'read',
    values: 'bhjkoOpPtTxyz',
    writes: '-o -O --log-file --LOG-FILE',
    runs: '-k --lesskey-file --lesskey-src',
  },
  more: { does: 'read' },
  basename: text,
  dirname: text,
  echo: text,
  printf: { ...text, runs: '-v' },
  seq: text,
  sleep: text,
  expr: text,
  pwd: text,
  yes: text,
  date: { ...text, values: 'dfrsI', reads: '-f -r --file --reference', changes: '-s --set' },
  whoami: text,
  id: text,
  uname: text,
  nproc: text,
  arch: text,
  groups: text,
  uptime: text,
  which: text,
  whereis: text,
  type: text,
  ps: text,
  free: text,
  printenv: text,
  touch: { does: 'write', values: 'dtr', reads: '-r --reference', texts: '-d -t --date' },
  mkdir: { does: 'write', values: 'mZ' },
  tee: { does: 'write' },
  mkfifo: { does: 'write', values: 'm' },
  mknod: { does: 'write', values: 'm' },
  truncate: { does: 'write', values: 'sr', reads: '-r --reference' },
  chmod: { does: 'write', text: 'first', reads: '--reference' },
  chown: { does: 'write', text: 'first', reads: '--reference' },
  chgrp: { does: 'write', text: 'first', reads: '--reference' },
  chattr: { does: 'write', text: 'first' },
  gzip: { does: 'write', values: 'S' },
  gunzip: { does: 'write', values: 'S' },
  bzip2: { does: 'write' },
  bunzip2: { does: 'write' },
  xz: { does: 'write', values: 'TS' },
  unxz: { does: 'write' },
  unzip: { does: 'write', values: 'dxP' },
  patch: {
    does: 'write',
    values: 'pidoBVzrDFY',
    long: 'input directory output strip',
    reads: '-i --input',
    writes: '-o --output -d --directory -r',
    here: true,
  },
  rm: { does: 'delete', long: 'interactive' },
  rmdir: { does: 'delete' },
  unlink: { does: 'delete' },
  shred: { does: 'delete', values: 'ns', reads: '--random-source' },
  srm: { does: 'delete' },
  wipe: { does: 'delete' },
};
