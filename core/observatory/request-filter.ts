/** Filters for the request log. */
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import type { RequestRow } from './request-row.ts';

export interface RequestFilter {
  /** Model as named by the caller, or after alias resolution. */
  readonly model?: string | undefined;
  readonly outcome?: string | undefined;
  /** Id of the caller's key. */
  readonly key?: string | undefined;
  /** Text contained in an id, a name, the rule or the error of the call; case-insensitive. */
  readonly text?: string | undefined;
}

/** Checks a row against a query's filters. */
export function fitsRequest(row: RequestRow, { model, outcome, key, text }: RequestFilter): boolean {
  return (
    (model === undefined || row.model === model || row.resolved_model === model) &&
    (outcome === undefined || row.outcome === outcome) &&
    (key === undefined || row.key_id === key) &&
    (text === undefined || searchableTexts(row).some((each) => foldCase(each).includes(foldCase(text))))
  );
}

const searchableTexts = (row: RequestRow): string[] =>
  [row.envelope_id, row.request_id, row.session_id, row.key_id, row.model, row.resolved_model].concat(
    [row.provider, row.matched_rule, row.error, row.reason].filter((each) => each !== undefined),
  );
