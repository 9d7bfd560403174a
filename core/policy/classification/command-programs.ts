/** Tools that stand for a program with a command line of its own, and the arguments in which they are given words of that line. */
import { commandLists, textKeys } from './argument-words.ts';

const set = (words: string): readonly string[] => words.split(/\s+/).filter((word) => word !== '');

/** By the program: its names, and other words of tools that stand for it alone. */
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
/** Names under which a program is started: where one of them begins a list, the list is the whole line. */
const started = new Set(set('kubectl oc terraform tofu docker podman nerdctl gcloud az gh glab rg helm aws git'));

export interface NamedProgram {
  readonly program: string;
  /** Words of the tool's name besides. */
  readonly rest: readonly string[];
}

/** The first word of a tool's name that is one of a program: `git_diff` is of git. */
export function programNamed(tool: readonly string[]): NamedProgram | undefined {
  // `k8s` is parted at its digit.
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

/** Whether a word is the name of the program at the head of its line. */
export const startsProgram = (program: string, word = ''): boolean =>
  word === program || (started.has(word) && programOfWord.get(word) === program);

/** `certain`: words of a command line; `possible`: as often data, and words of a line where one of them is an option. */
const listNames: ReadonlyMap<string, 'certain' | 'possible'> = new Map([
  ...set('args argv flags switches').map((name) => [name, 'certain'] as const),
  ...set('arg arguments flag opt option options opts parameters params').map((name) => [name, 'possible'] as const),
]);

/** What an argument of this name, in words, holds of a command line. */
export const listKind = (key: readonly string[]): 'certain' | 'possible' | undefined => listNames.get(key.at(-1) ?? '');

/** `-o`, `--output`, `-destroy`; not `-5`, `--` or `---`. */
export const isOptionWord = (word: string): boolean => /^-{1,2}[A-Za-z]/.test(word);

/** Options that say how an answer is shown, cut or found, whatever the program is. */
const showing = new Set(
  set(`
    -a --all -A --all-namespaces --branch --color --count --format=json --graph -h --head --help --json -l --label --limit --lines --long --max
    --max-count -n --name-only --name-status --namespace --no-color --no-headers --oneline --page --per-page --porcelain -q --quiet --region
    --reverse -s --short --since --sort --stat --state --status --summary --tail --type --until -v --verbose --version --yaml`),
);

/** Words of a text of arguments. */
export const wordsOfText = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** A list of arguments holds an option that is not known to do no more than show its answer otherwise. */
export function holdsOption(key: readonly string[], value: string): boolean {
  const kind = listKind(key);
  const showsOnly = (word: string): boolean => showing.has(word) || showing.has(word.split('=')[0]!);
  const options = wordsOfText(value).filter((word) => isOptionWord(word) && !showsOnly(word));
  // What is as often data is an option where it is given a value.
  return kind === 'certain' ? options.length > 0 : kind !== undefined && options.some(isAssigned);
}

const isAssigned = (word: string): boolean => /^--[a-z][a-z-]*=/i.test(word);

/** Words of tools for which a value that begins with a dash is an option of their program. */
const optionReaders = new Set(
  set(
    'git gh hg svn terraform tofu helm kubectl docker podman rg ripgrep grep find tar rsync ssh scp sftp curl ffmpeg',
  ),
);
/** Of these `-name` is often a value: what is left out, or the other order. */
const negating = new Set(['find', 'grep', 'gh']);
const orders = new Set(['by', 'order', 'sort']);

/**
 * A server that runs a program with `--output=x` where it expects a revision writes a file, `--upload-pack=x` runs another program,
 * and so does `-oProxyCommand=x` in the place of a host.
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
