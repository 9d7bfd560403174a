/** Tools that run a program with its own command line, and the arguments that supply words of that line. */
import { commandLists, textKeys } from './argument-words.ts';

const set = (words: string): readonly string[] => words.split(/\s+/).filter((word) => word !== '');

/** By program: its names, and other words that only its tools use. */
const words: Readonly<Record<string, string>> = {
  kubectl: `kubectl oc kubernetes k8s kube openshift pod pods namespace namespaces deployment deployments statefulset statefulsets daemonset
    daemonsets configmap configmaps replicaset replicasets cronjob cronjobs`,
  terraform: 'terraform tofu opentofu',
  docker: 'docker podman nerdctl container containers',
  gcloud: 'gcloud gcp',
  az: 'az azure',
  gh: 'gh glab',
  rg: 'rg ripgrep',
  ...Object.fromEntries(
    set(`
      helm aws git grep find fd tar curl wget jq cat head tail ls diff tree du wc stat
      hg svn npm pnpm yarn pip cargo ansible vagrant pulumi cdk ssh scp sftp rsync ffmpeg psql mongosh consul nomad systemctl journalctl heroku
      wrangler bq gsutil terragrunt packer argocd istioctl crictl buildah skopeo`).map((name) => [name, name]),
  ),
};
const programOfWord: ReadonlyMap<string, string> = new Map(
  Object.entries(words).flatMap(([program, names]) => set(names).map((name) => [name, program] as const)),
);
/** Command names of programs. If a list begins with one, the list is the whole command line. */
const started = new Set(set('kubectl oc terraform tofu docker podman nerdctl gcloud az gh glab rg helm aws git'));

export interface NamedProgram {
  readonly program: string;
  /** The other words of the tool's name. */
  readonly rest: readonly string[];
}

/** Returns the program that the tool's name contains first: `git_diff` runs git. */
export function programNamed(tool: readonly string[]): NamedProgram | undefined {
  // `k8s` was split at its digit.
  const joined = tool
    .join(' ')
    .replace(/(?<=^| )k 8 s(?= |$)/g, 'k8s')
    .split(' ');
  const first = joined.find((word) => programOfWord.has(word));
  const program = first === undefined ? undefined : programOfWord.get(first)!;
  return program === undefined
    ? undefined
    : { program, rest: joined.filter((word) => programOfWord.get(word) !== program) };
}

/** Checks whether a word is the program name at the start of its command line. */
export const startsProgram = (program: string, word = ''): boolean =>
  word === program || (started.has(word) && programOfWord.get(word) === program);

/** `certain`: words of a command line. `possible`: often data; a command line only if one of the words is an option. */
const listNames: ReadonlyMap<string, 'certain' | 'possible'> = new Map([
  ...set('args argv flags switches').map((name) => [name, 'certain'] as const),
  ...set('arg arguments flag opt option options opts parameters params').map((name) => [name, 'possible'] as const),
]);

/** Returns how an argument list of this name (as words) relates to a command line, or undefined if it does not. */
export const listKind = (key: readonly string[]): 'certain' | 'possible' | undefined => listNames.get(key.at(-1) ?? '');

/** Checks for an option: `-o`, `--output`, `-destroy`; not `-5`, `--` or `---`. */
export const isOptionWord = (word: string): boolean => /^-{1,2}[A-Za-z]/.test(word);

/** Options of any program that only format, limit or filter its output. */
const showing = new Set(
  set(`
    -a --all -A --all-namespaces --branch --color --count --format=json --graph -h --head --help --json -l --label --limit --lines --long --max
    --max-count -n --name-only --name-status --namespace --no-color --no-headers --oneline --page --per-page --porcelain -q --quiet --region
    --reverse -s --short --since --sort --stat --state --status --summary --tail --type --until -v --verbose --version --yaml`),
);

/** Splits an argument text into words. */
export const wordsOfText = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** Checks whether an argument list holds an option that is not known to only format, limit or filter the output. */
export function holdsOption(key: readonly string[], value: string): boolean {
  const kind = listKind(key);
  const showsOnly = (word: string): boolean => showing.has(word) || showing.has(word.split('=')[0]!);
  const options = wordsOfText(value).filter((word) => isOptionWord(word) && !showsOnly(word));
  // In a list that may be data, only an option with a value counts.
  return kind === 'certain' ? options.length > 0 : kind !== undefined && options.some(isAssigned);
}

const isAssigned = (word: string): boolean => /^--[a-z][a-z-]*=/i.test(word);

/** Words of tools whose program parses a value with a leading dash as an option. */
const optionReaders = new Set(
  set(
    'git gh hg svn terraform tofu helm kubectl docker podman rg ripgrep grep find tar rsync ssh scp sftp curl ffmpeg',
  ),
);
/** Programs for which `-name` is often a value: an exclusion, or descending order. */
const negating = new Set(['find', 'grep', 'gh']);
const orders = new Set(['by', 'order', 'sort']);

/**
 * Checks whether a value could be parsed as an option. If a server passes it to a program that expects a revision or a
 * host, `--output=x` writes a file, and `--upload-pack=x` or `-oProxyCommand=x` runs another program.
 */
export function isOptionInPlace(tool: readonly string[], key: readonly string[], value: string): boolean {
  const last = key.at(-1) ?? '';
  if (textKeys.has(last) || commandLists.has(last) || listKind(key) !== undefined) return false;
  const word = value.trim();
  if (isAssigned(word)) return true;
  const program = tool.find((each) => optionReaders.has(each));
  if (program === undefined || orders.has(last)) return false;
  return /^--[a-z]/i.test(word) || (!negating.has(program) && isOptionWord(word));
}
