/**
 * Lines of programs that reach infrastructure and only look, word by word: commands, their operands and options. A line with a
 * word that does not stand here is not known to look, so secrets, settings of other clusters and files are left out.
 */
import { commandPrograms } from '../shell/profiles/all.ts';

/** What stands behind a command that is not an option; a value of an option. */
type Words = RegExp | 'none';

interface Looking {
  /** Commands as they are written, separated by commas: `state list`. */
  readonly commands: string;
  readonly operands: Words;
  readonly flags?: string;
  readonly values?: Readonly<Record<string, RegExp>>;
}

const split = (names: string): readonly string[] => names.split(/\s+/).filter((name) => name !== '');
const oneOf = (names: string): RegExp => new RegExp(`^(?:${split(names).join('|')})$`);

/** No path, no address, no option, no file behind `@`. */
const name = /^[A-Za-z0-9_*][\w.:*+=,-]*$/;
/** An expression that is compared with what is found: it names no file. */
const expression = /^(?![-@]|(?:file|fileb|https?):)[^\p{Cc}]+$/u;
const number = /^\d{1,9}[smhd]?$/;
const reference = /^[A-Za-z0-9][\w.-]*(?:\/[\w.-]+){0,4}(?::[\w.-]+)?$/;

const planOptions: Looking = {
  commands: 'plan',
  operands: 'none',
  flags:
    '-no-color -input=false -compact-warnings -refresh=false -refresh-only -detailed-exitcode -lock=false -json -concise',
  values: {
    // A plan is written in a form of its own, so it must not take the place of a source.
    '-out': /^(?:[A-Za-z0-9_][\w-]*\/)*[A-Za-z0-9_][\w-]*(?:\.(?:bin|out|plan|tfplan))?$/,
    ...each('-var', /^\w+=(?!@)[^\p{Cc}/\\]*$/u),
    ...each('-target', /^[A-Za-z_][\w.[\]"-]*$/),
    ...each('-lock-timeout -parallelism', number),
  },
};
const terraform: readonly Looking[] = [
  planOptions,
  { commands: 'validate', operands: 'none', flags: '-json -no-color' },
  { commands: 'version', operands: 'none', flags: '-json' },
  { commands: 'providers, workspace show, workspace list, show', operands: 'none', flags: '-no-color' },
  { commands: 'state list', operands: /^[A-Za-z_][\w.[\]"-]*$/ },
  { commands: 'fmt -check', operands: 'none', flags: '-diff -no-color -recursive -list=true' },
];

const helm: readonly Looking[] = [
  {
    commands: 'list, ls',
    operands: 'none',
    flags:
      '-A --all-namespaces -a --all -q --short -d --date -r --reverse --deployed --failed --pending --superseded --uninstalled --no-headers',
    values: {
      ...each('-n --namespace --time-format', name),
      ...each('-o --output', oneOf('table json yaml')),
      ...each('-m --max --offset', number),
      ...each('-f --filter -l --selector', expression),
    },
  },
  {
    commands: 'status, history',
    operands: name,
    values: {
      ...each('-n --namespace', name),
      ...each('-o --output', oneOf('table json yaml')),
      '--max': number,
      '--revision': number,
    },
  },
  {
    commands: 'search repo, search hub',
    operands: reference,
    flags: '-l --versions --devel',
    values: each('--version', name),
  },
  { commands: 'show chart, show readme', operands: /^[a-z0-9][\w-]*\/[\w-]+$/, values: each('--version', name) },
  { commands: 'version', operands: 'none', flags: '--short' },
];

const containers: readonly Looking[] = [
  {
    commands: 'ps, images, container ls, image ls, volume ls, network ls',
    operands: reference,
    flags: '-a --all -q --quiet -l --latest -s --size --no-trunc --digests',
    values: {
      ...each('-n --last', number),
      ...each('-f --filter', expression),
      '--format': /^(?:json|table|(?:(?:table )?\{\{\s*(?:json )?\.[A-Za-z]*\s*\}\}[ \t|]*)+)$/,
    },
  },
  {
    commands: 'logs',
    operands: name,
    flags: '-f --follow -t --timestamps --details',
    values: { ...each('-n --tail', number), ...each('--since --until', expression) },
  },
  { commands: 'top, port, stats', operands: name, flags: '-a --all --no-stream --no-trunc' },
  { commands: 'version, info', operands: 'none' },
];

const amazonOptions = {
  flags: '--no-paginate --no-cli-pager --human-readable --summarize --recursive',
  values: {
    ...each('--region --profile --name --cluster-name --nodegroup-name --instance-ids --max-items --page-size', name),
    ...each('--output', oneOf('json text table yaml')),
    ...each('--filters --query', expression),
  },
};
const described = (services: string, things: string): string =>
  split(services)
    .flatMap((service) => split(things).map((thing) => `${service} ${thing}`))
    .join(', ');
const amazon: readonly Looking[] = [
  { commands: 'sts get-caller-identity', operands: 'none', ...amazonOptions },
  { commands: 's3 ls', operands: /^s3:\/\/[a-z0-9.-]+(?:\/[\w./-]*)?$/, ...amazonOptions },
  {
    commands: [
      described(
        'ec2',
        `describe-instances describe-instance-status describe-vpcs describe-subnets describe-security-groups describe-volumes describe-snapshots
        describe-images describe-addresses describe-route-tables describe-availability-zones describe-regions`,
      ),
      described('rds', 'describe-db-instances describe-db-clusters'),
      described('eks', 'list-clusters list-nodegroups describe-cluster describe-nodegroup'),
      described('elbv2', 'describe-load-balancers describe-target-groups describe-target-health describe-listeners'),
      described('cloudwatch', 'list-metrics list-dashboards describe-alarms'),
      'autoscaling describe-auto-scaling-groups, route53 list-hosted-zones, sqs list-queues, sns list-topics, acm list-certificates',
      'cloudfront list-distributions, efs describe-file-systems, elasticache describe-cache-clusters',
    ].join(', '),
    operands: name,
    ...amazonOptions,
  },
];

const googleOptions = {
  values: {
    ...each('--project --region --zone --limit --page-size', name),
    '--format': oneOf('json yaml table text csv'),
    ...each('--filter --sort-by', expression),
  },
};
const google: readonly Looking[] = [
  {
    commands: [
      described('instances', 'list describe'),
      described('disks networks zones regions firewall-rules images snapshots', 'list'),
    ]
      .join(', ')
      .replace(/(^|, )/g, '$1compute '),
    operands: name,
    ...googleOptions,
  },
  {
    commands:
      'container clusters list, run services list, functions list, sql instances list, pubsub topics list, projects list, config get-value project',
    operands: 'none',
    ...googleOptions,
  },
];
const azure: readonly Looking[] = [
  {
    commands:
      'vm list, vm show, group list, group show, aks list, network vnet list, account show, account list, resource list',
    operands: 'none',
    flags: '-d --show-details',
    values: {
      ...each('-g --resource-group -n --name --subscription', name),
      ...each('-o --output', oneOf('json jsonc table tsv yaml yamlc')),
      '--query': expression,
    },
  },
];

const forge: readonly Looking[] = [
  {
    commands:
      'pr list, pr view, pr status, pr diff, pr checks, issue list, issue view, issue status, release list, release view, run list, run view, workflow list, workflow view, repo view, label list, mr list, mr view, mr diff',
    operands: name,
    flags: '-c --comments --name-only --required --log --log-failed --exit-status',
    values: {
      ...each('-R --repo', reference),
      ...each('-L --limit', number),
      ...each('-s --state -a --author --assignee -l --label --base --head -B -H -b --branch -w --workflow', expression),
      ...each('-S --search', expression),
      '--json': /^[A-Za-z,]+$/,
    },
  },
];

function each(names: string, value: RegExp): Record<string, RegExp> {
  return Object.fromEntries(split(names).map((option) => [option, value]));
}

/** By the program. */
export const lookingLines: Readonly<Record<string, readonly Looking[]>> = {
  aws: amazon,
  az: azure,
  docker: containers,
  gcloud: google,
  gh: forge,
  helm,
  terraform,
};

const commandsOf = (program: string): readonly (readonly string[])[] =>
  [
    ...Object.keys(commandPrograms.get(program)?.commands ?? {}),
    ...(lookingLines[program] ?? []).map(({ commands }) => commands),
  ].flatMap((commands) => commands.split(/,\s+/).map((command) => command.split(' ')));

/** What tools call commands of other names. */
const renamed: Readonly<Record<string, string>> = { kubectl: 'get', docker: 'ps', helm: 'list' };

/**
 * The command that a tool is named after, by the words of its name: `state_list`, `ec2_describe_instances`, and `list_images` for
 * `images`. Empty where none is known.
 */
export function commandNamed(program: string, words: readonly string[]): readonly string[] {
  const plain = words.join('');
  const behind = words.slice(1).join('');
  const found = (name: string) => commandsOf(program).find((command) => command.join('').replaceAll('-', '') === name);
  const known = found(plain) ?? (behind === '' ? undefined : found(behind));
  if (known) return known;
  return plain === 'list' && renamed[program] !== undefined ? [renamed[program]] : [];
}

/** Whether a word begins a command that only looks. */
export const isLookingCommand = (program: string, word: string): boolean =>
  commandsOf(program).some(([first]) => first === word);

/** Whether these words are a command that only looks, with everything behind it. */
export const isLooking = (program: string, words: readonly string[]): boolean =>
  (lookingLines[program] ?? []).some((line) =>
    line.commands.split(', ').some((written) => {
      const command = written.split(' ');
      return command.every((word, at) => words[at] === word) && isKnownTail(line, words.slice(command.length));
    }),
  );

function isKnownTail({ operands, flags = '', values = {} }: Looking, words: readonly string[]): boolean {
  const known = new Set(split(flags));
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('-')) {
      if (operands === 'none') return false;
      if (!operands.test(word)) return false;
      continue;
    }
    if (known.has(word)) continue;
    const [option, value] = optionIn(word, values) ?? [];
    if (option === undefined) {
      // `-aq` is `-a -q`.
      if (/^-[A-Za-z]{2,}$/.test(word) && [...word.slice(1)].every((letter) => known.has(`-${letter}`))) continue;
      return false;
    }
    if (!values[option]!.test(value ?? words[++at] ?? '')) return false;
  }
  return true;
}

/** `--output=json`, `-ojson`, and `-o` alone, whose value is the next word. */
function optionIn(
  word: string,
  values: Readonly<Record<string, RegExp>>,
): readonly [string, string | undefined] | undefined {
  const own = (option: string): boolean => Object.hasOwn(values, option);
  if (own(word)) return [word, undefined];
  const equals = word.indexOf('=');
  if (equals > 0 && own(word.slice(0, equals))) return [word.slice(0, equals), word.slice(equals + 1)];
  return !word.startsWith('--') && own(word.slice(0, 2)) ? [word.slice(0, 2), word.slice(2)] : undefined;
}
