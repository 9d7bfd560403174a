/** Approvals as the API shows them. */
import type { AnswerOf } from '#core/contracts/operations.ts';

export type Item = AnswerOf<'listApprovals'>['pending'][number];
export type View = AnswerOf<'getApproval'>;

/** The item after or before the one that is open; from nowhere, the first or the last. */
export function neighbour(items: readonly Item[], open: string | undefined, step: 1 | -1): string | undefined {
  const at = items.findIndex(({ envelope_id }) => envelope_id === open);
  const next = at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step;
  return items[next]?.envelope_id;
}

/** The JSON path of a parameter, as the gateway writes it. */
export const pathOf = (name: string): string =>
  /^[A-Za-z_$][\w$-]*$/.test(name) ? `$.parameters.${name}` : `$.parameters[${JSON.stringify(name)}]`;

/** Whether a list of JSON paths names this place, one below it, or one that it is in. */
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

/** Returns the sign and kind of an effect, by its wording. The sign is shown together with the words. */
export function signOf(effect: string): readonly [sign: string, kind: 'read' | 'write' | 'delete' | 'run' | 'unsure'] {
  if (effect.startsWith('Cannot be determined')) return ['?', 'unsure'];
  if (/\b(deletes|overwrites|drops?|truncates?|force-pushes)\b/i.test(effect)) return ['✕', 'delete'];
  if (/\b(writes?|changes|adds|sends|merges|inserts?|creates?)\b/i.test(effect)) return ['✎', 'write'];
  if (/^(SQL: )?reads\b|: reads?\b/.test(effect)) return ['◦', 'read'];
  return ['▸', 'run'];
}

/** Names under which tools take what a call is about, the most telling first. */
const tellingNames = ['title', 'subject', 'summary', 'query', 'name', 'path', 'url', 'to', 'recipient', 'message'];

type Called = Pick<Item, 'parameters' | 'executed'>;

/** Sorts parameters for reading: executed ones first, then the subject of the call, then the others in their order. */
export function inReadingOrder({ parameters, executed = [] }: Called): readonly (readonly [string, unknown])[] {
  const rank = (name: string): number => {
    if (names(executed, pathOf(name))) return -1;
    const at = tellingNames.indexOf(name.toLowerCase());
    return at === -1 ? tellingNames.length : at;
  };
  return Object.entries(parameters).sort(([one], [other]) => rank(one) - rank(other));
}

const excerptCharacters = 120;

/** The first text in reading order; one line. */
export function excerptOf(item: Called): string | undefined {
  const texts = inReadingOrder(item).map(([, value]) => value);
  const text = texts.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  const line = text?.trim().replace(/\s+/g, ' ');
  if (!line) return undefined;
  return line.length <= excerptCharacters ? line : `${line.slice(0, excerptCharacters)}…`;
}

const powers: Readonly<Record<string, string>> = { read: 'read', write: 'read and write', admin: 'administer' };

/** `pull_requests:write,contents:read` in words; a scope of another form speaks for itself. */
export function describeScope(scope: string): string {
  const parts = scope.split(',').map((part) => /^([a-z_]+):([a-z]+)$/.exec(part.trim()));
  const words = parts.map((part) => part && powers[part[2]!] && `${powers[part[2]!]} ${part[1]!.replaceAll('_', ' ')}`);
  return words.every((word) => word) ? `It may ${words.join(', ')}, and nothing else.` : 'It may what its scope says.';
}
