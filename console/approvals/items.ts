/** Approvals as the API shows them. */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { shorten, visibleText } from '#core/text/secrets/visible-text.ts';

export type Item = AnswerOf<'listApprovals'>['pending'][number];
export type View = AnswerOf<'getApproval'>;

/** Returns the item after or before the open one; if none is open, the first or the last item. */
export function neighbouringItem(items: readonly Item[], open: string | undefined, step: 1 | -1): string | undefined {
  const at = items.findIndex(({ envelope_id }) => envelope_id === open);
  const next = at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step;
  return items[next]?.envelope_id;
}

/** Returns the JSON path of a parameter, as the gateway writes it. */
export const pathOf = (name: string): string =>
  /^[A-Za-z_$][\w$-]*$/.test(name) ? `$.parameters.${name}` : `$.parameters[${JSON.stringify(name)}]`;

/** Checks whether a list of JSON paths contains this path, a path below it, or a path above it. */
export const names = (paths: readonly string[], path: string): boolean =>
  paths.some((known) => known === path || isBelow(known, path) || isBelow(path, known));

const isBelow = (path: string, above: string): boolean => path.startsWith(`${above}.`) || path.startsWith(`${above}[`);

/** Returns why this person may not vote on this request. The gateway also checks conditions that the page cannot. */
export function voteObstacle(item: Item, me: AnswerOf<'whoami'>): string | undefined {
  if (item.key.id === me.key_id) return 'You made this request: another person must decide.';
  if (me.person !== undefined && item.key.owner === me.person)
    return 'The request was made with a key that you own: another person must decide.';
  return undefined;
}

/**
 * Returns the pending calls that can be voted on together: this one first, then the others that this person may vote
 * on.
 */
export function togetherWith(item: Item, pending: readonly Item[], me: AnswerOf<'whoami'>): readonly Item[] {
  const { together, envelope_id } = item;
  const others = pending.filter(
    (other) => together !== undefined && other.together === together && other.envelope_id !== envelope_id,
  );
  return [item, ...others.filter((other) => !voteObstacle(other, me))];
}

/** Risks with their wording and kind, in order of severity. */
export const risks = {
  deletes: ['Deletes', 'delete'],
  unknown: ['Unknown', 'unknown'],
  sends: ['Sends out', 'send'],
  writes: ['Writes', 'write'],
  reads: ['Reads', 'read'],
} as const;
export type RiskName = keyof typeof risks;

const titleCharacters = 160;

/** Shortens text from the caller for a heading, so that it cannot push the call itself out of view. */
export const headingText = (text: string): string => shorten(visibleText(text), titleCharacters);

/** Returns the effect of the call in one sentence. Without a summary, the sentence names tool and target. */
export const effectOf = ({ summary, tool, target }: Pick<Item, 'summary' | 'tool' | 'target'>): string =>
  summary?.text ?? (target === '' ? `Calls ${tool}` : `Calls ${tool} on ${headingText(target)}`);

/** Returns the argument whose source a line describes: `to` in `to comes from the result of mail.read`. */
export const argumentOf = (source: string): string | undefined =>
  /^(?:A part of )?(\S+) (?:comes|stands|contains)\b|^A part of (\S+) comes/.exec(source)?.slice(1).find(Boolean);

/** Returns the lines about the sources of a parameter's value. */
export const sourcesOf = (name: string, sources: readonly string[] = []): readonly string[] =>
  sources.filter((line) => {
    const argument = argumentOf(line)?.replace(/^\$\.parameters\.|^parameters\./, '');
    return argument === name || argument?.startsWith(`${name}.`) || argument?.startsWith(`${name}[`);
  });

/** Returns the action that follows an approval, in words; undefined if the gateway does not report it. */
export function nextOf({ after_vote, held_until, caller_gone_at }: Item, nowMs: number): string | undefined {
  switch (after_vote) {
    case 'caller':
      return 'The agent gets the approval and makes the call itself.';
    case 'gateway':
      return 'The gateway makes the call once, and keeps the result for the agent.';
    case 'held':
      return caller_gone_at === undefined && held_until !== undefined && Date.parse(held_until) > nowMs
        ? 'The agent is waiting on its connection: the call runs immediately.'
        : 'The agent is no longer waiting: the call runs when it sends the identical call again.';
    case 'task':
      return 'The agent follows an MCP task: the call runs when it asks for the result.';
    case 'input':
    case 'retry':
      return 'The call runs once, when the agent sends the identical call again.';
    default:
      return undefined;
  }
}

/** Parameter names under which tools commonly pass the subject of a call, most informative first. */
const tellingNames = ['title', 'subject', 'summary', 'query', 'name', 'path', 'url', 'to', 'recipient', 'message'];

type ItemCall = Pick<Item, 'parameters' | 'executed'>;

/**
 * Sorts parameters for reading: executed ones first, then the subject of the call, then the others in their original
 * order.
 */
export function inReadingOrder({ parameters, executed = [] }: ItemCall): readonly (readonly [string, unknown])[] {
  const rank = (name: string): number => {
    if (names(executed, pathOf(name))) return -1;
    const at = tellingNames.indexOf(name.toLowerCase());
    return at === -1 ? tellingNames.length : at;
  };
  return Object.entries(parameters).sort(([one], [other]) => rank(one) - rank(other));
}

const excerptCharacters = 120;

/** Returns the first string in reading order, on one line. */
export function excerptOf(item: ItemCall): string | undefined {
  const texts = inReadingOrder(item).map(([, value]) => value);
  const text = texts.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  const line = text?.trim().replace(/\s+/g, ' ');
  if (!line) return undefined;
  return line.length <= excerptCharacters ? line : `${line.slice(0, excerptCharacters)}…`;
}

const powers: Readonly<Record<string, string>> = { read: 'read', write: 'read and write', admin: 'administer' };

/**
 * Describes a scope such as `pull_requests:write,contents:read` in words; a scope in another format is shown unchanged.
 */
export function describeScope(scope: string): string {
  const parts = scope.split(',').map((part) => /^([a-z_]+):([a-z]+)$/.exec(part.trim()));
  const words = parts.map((part) => part && powers[part[2]!] && `${powers[part[2]!]} ${part[1]!.replaceAll('_', ' ')}`);
  return words.every((word) => word)
    ? `It may ${words.join(', ')}, and nothing else.`
    : 'Its scope limits what it may do.';
}
