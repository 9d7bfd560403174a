/** A tool call as the policy sees it: protocol, name, target, capability (spec §2.1; contract §3). */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { type ActionRequest, actionRequestSchema, sizes } from '#core/contracts/envelope.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { globMatches } from '#core/tool-policy/glob.ts';
import { invalidParams, isObject } from './messages.ts';

/** One tool behind the gateway. */
export interface Tool {
  readonly entry: McpUpstreamEntry;
  /** As its server describes it. */
  readonly definition: JsonObject;
  /** Its name there. */
  readonly own: string;
  /** Its name for clients. */
  readonly exposed: string;
}

/** What is known of a tool before it is called. */
export interface ToolWords {
  readonly protocol: string;
  readonly tool: string;
  readonly capability: string;
}

/** @param name the tool's name for policies; its own unless the configuration gives another. */
export function wordsOf({ entry, own, definition }: Tool, name: string = own): ToolWords {
  const override = overrideOf(entry, own);
  return {
    protocol: override?.protocol ?? 'mcp',
    tool: override?.name ?? name,
    capability: override?.capability ?? capabilityOf(own, definition.annotations),
  };
}

/** @throws RpcFault -32602 for arguments that no envelope can hold. */
export function actionOf(tool: Tool, name: string, args: JsonObject): ActionRequest {
  const request = { ...wordsOf(tool, name), target: targetOf(tool, args), parameters: args };
  const checked = actionRequestSchema.safeParse(request);
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw invalidParams(`The call cannot be governed: ${problems.slice(0, 3).join('; ')}.`);
  }
  return checked.data;
}

/** @throws RpcFault -32602: arguments that are no object, or larger than an envelope may be. */
export function argumentsOf(params: JsonObject): JsonObject {
  const args = params.arguments ?? {};
  if (!isObject(args)) throw invalidParams('arguments must be an object.');
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > sizes.envelopeBytes) {
    throw invalidParams(`The arguments have ${bytes} bytes; a call takes at most ${sizes.envelopeBytes}.`);
  }
  return args;
}

const overrideOf = ({ overrides }: McpUpstreamEntry, own: string) =>
  overrides.find(({ tool }) => globMatches(tool, own));

const classes = ['read', 'execute', 'write', 'delete'] as const;
type Capability = (typeof classes)[number];

const verbs: Readonly<Record<Capability, string>> = {
  read: 'get list read search find fetch show describe view lookup browse compare count check stat resolve explain preview diff inspect watch tail verify validate',
  write:
    'create add update write set put post patch edit modify insert upsert save upload append rename move copy merge commit push open close send publish submit comment assign label tag fork approve enable disable import sync configure register reply lock unlock transfer archive restore schedule book grant cancel',
  delete: 'delete remove drop destroy purge truncate erase wipe clear unlink revoke uninstall kill terminate reset rm',
  execute:
    'run exec execute call invoke start stop restart eval launch trigger deploy build test install query shell bash',
};
const classOf: ReadonlyMap<string, Capability> = new Map(
  classes.flatMap((kind) => verbs[kind].split(' ').map((verb) => [verb, kind] as const)),
);

/**
 * By the verbs of the name: the first word, else the last, and whatever an "and" joins to it. A name that says nothing
 * executes. What the server says of its tool may raise the class and never lowers it: it is the server's own claim.
 */
export function capabilityOf(name: string, annotations: unknown): Capability {
  const words = wordsIn(name);
  const joined = words.flatMap((word, i) => (i > 0 && joining.has(words[i - 1]!) ? [word] : []));
  const first = classOf.get(words[0] ?? '') ?? classOf.get(words.at(-1) ?? '') ?? 'execute';
  const named = joined.flatMap((word) => classOf.get(word) ?? []).reduce(worse, first);
  if (!isObject(annotations)) return named;
  if (annotations.destructiveHint === true) return 'delete';
  return annotations.readOnlyHint === false && named === 'read' ? 'write' : named;
}

const joining: ReadonlySet<string> = new Set(['and', 'or', 'then']);
const worse = (a: Capability, b: Capability): Capability => (classes.indexOf(a) >= classes.indexOf(b) ? a : b);

/** Of `scm.get_file` the part behind the dot: what stands before it is a family. */
const wordsIn = (name: string): string[] =>
  name
    .slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** Arguments that usually name what a call acts on, most telling first. */
const usual = (
  'target path file_path filePath filename file uri url repository repo full_name project table table_name database ' +
  'bucket resource resource_id host hostname channel directory dir folder destination'
).split(' ');
/** Texts of their own: they are matched as parameters, and as a target only where a target can hold them. */
const texts = ['command', 'cmd', 'query', 'sql'];

export function targetOf({ entry, own }: Tool, args: JsonObject): string {
  const wanted = overrideOf(entry, own)?.target;
  if (wanted) return wanted.map((name) => textOf(args[name])).join('/');
  if (isText(args.owner) && isText(args.repo)) return `${args.owner}/${args.repo}`;
  const named = usual.find((name) => isText(args[name]));
  if (named !== undefined) return args[named] as string;
  const text = texts.find((name) => isText(args[name]) && fits(args[name] as string));
  return text === undefined ? '' : (args[text] as string);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const controls = /\p{Cc}/u;
const fits = (text: string): boolean => Buffer.byteLength(text) <= sizes.targetBytes && !controls.test(text);
