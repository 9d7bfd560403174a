/** Shortens approvals for lists. The item route returns the whole call [approval.item]. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { approvalView } from './views.ts';

type ApprovalListItem = ReturnType<typeof approvalView> & { readonly result?: unknown };
type Parameters = Readonly<Record<string, unknown>>;

/** Maximum length of the JSON of a call's parameters; longer parameters are shortened. */
const maxCall = 4_096;
/** Maximum length of a shortened field in characters. */
const maxField = 1_024;
const maxStart = 200;

const sizeOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length);

/** Checks whether a list shortens the call. */
export const isLongCall = ({ target, parameters, sent_with }: ApprovalRow): boolean =>
  target.length > maxField || sizeOf(parameters) + sizeOf(sent_with) > maxCall;

/**
 * Returns a short view unchanged. Otherwise `omitted` names each shortened field, with the size of its JSON in bytes.
 */
export function approvalHead<T extends ApprovalListItem>(view: T) {
  const omitted: { field: string; bytes: number }[] = [];
  const short = <V>(field: string, value: V, most: number, shorten: (value: NonNullable<V>) => V): V => {
    const json = value === undefined || value === null ? '' : JSON.stringify(value);
    if (json.length <= most) return value;
    omitted.push({ field, bytes: Buffer.byteLength(json) });
    return shorten(value!);
  };
  const url = view.approval_url;
  const mostOfCall = sizeOf(view.parameters) + sizeOf(view.sent_with) > maxCall ? maxField : maxCall;
  const members = (value: Parameters) => shortMembers(value, url);
  const head = {
    ...view,
    target: short('target', view.target, maxField, (text) => textHead(text, url)),
    parameters: short('parameters', view.parameters, mostOfCall, members),
    sent_with: short('sent_with', view.sent_with, mostOfCall, members),
    justification: short('justification', view.justification, maxField, (text) => textHead(text, url)),
    withheld: short('withheld', view.withheld, maxField, firstItems),
    effects: short('effects', view.effects, maxField, firstItems),
    sources: short('sources', view.sources, maxField, firstItems),
    executed: short('executed', view.executed, maxField, firstItems),
    ...('result' in view && { result: short('result', view.result, maxCall, () => undefined) }),
  };
  return omitted.length === 0 ? view : { ...head, omitted };
}

/** Returns the members that fit, with long values shortened. */
function shortMembers(members: Parameters, url: string): Parameters {
  const kept: Record<string, unknown> = Object.create(null);
  let left = maxField;
  for (const [name, value] of Object.entries(members)) {
    const shown = sizeOf(value) <= maxStart ? value : valueHead(value, url);
    left -= name.length + Math.min(sizeOf(shown), maxStart);
    if (left < 0) break;
    kept[name] = shown;
  }
  return { ...kept };
}

const valueHead = (value: unknown, url: string): string =>
  typeof value === 'string' ? textHead(value, url) : `(${Buffer.byteLength(JSON.stringify(value))} bytes, see ${url})`;

const textHead = (text: string, url: string): string =>
  `${text.slice(0, maxStart).toWellFormed()}… (${Buffer.byteLength(text)} bytes in all, see ${url})`;

function firstItems(items: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let left = maxField;
  for (const item of items) {
    left -= item.length;
    if (left < 0) break;
    kept.push(item);
  }
  return kept;
}
