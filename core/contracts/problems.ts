/** Describes configuration problems in one format: «path (line n): found X, allowed Y». */
import type * as z from 'zod';
import { didYouMean } from '#core/kernel/did-you-mean.ts';
import { type GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { describeAt, relevantIssues } from '#core/kernel/issue-words.ts';

export type Path = readonly (string | number)[];

interface ProblemLocation {
  readonly path: Path;
  /** Location, if the problem is in another file. */
  readonly place?: string;
}

export type Problem = ProblemLocation &
  (
    | {
        /** Description of the value at the path. Never contains a secret. */
        readonly found: string;
        readonly allowed: string;
      }
    /** Description for cases in which the found and allowed values cannot explain the problem. */
    | { readonly sentence: string }
  );

export const pathText = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(step);
    return text === '' ? name : `${text}.${name}`;
  }, '') || 'the document';

export const sentenceOf = (problem: Problem): string =>
  'sentence' in problem ? problem.sentence : `found ${problem.found}, allowed ${problem.allowed}`;

/** Returns one error that lists all problems. @param more additional members of `data` for programs */
export function problemsError(
  problems: readonly Problem[],
  lineOf: (path: Path) => number | undefined,
  more: Readonly<Record<string, unknown>> = {},
): GatewayError {
  const lines = problems.map((problem) => {
    const line = lineOf(problem.path);
    const where = problem.place ?? (line === undefined ? '' : `line ${line}`);
    return `${pathText(problem.path)}${where && ` (${where})`}: ${sentenceOf(problem)}`;
  });
  const count = lines.length === 1 ? '1 problem' : `${lines.length} problems`;
  return invalidRequest(`The configuration has ${count}:\n${lines.join('\n')}`, { problems: lines, ...more });
}

/**
 * Converts the issues of a parse that used `allowed` as its error map. For a failed union, only the intended branch is
 * reported.
 */
export const problemsOf = (issues: readonly z.core.$ZodIssue[], root: unknown, above: Path = []): Problem[] =>
  relevantIssues(issues).flatMap((issue) => problemOf(issue, root, [...above, ...(issue.path as Path)]));

function problemOf(issue: z.core.$ZodIssue, root: unknown, path: Path): Problem[] {
  const reported = issue.code === 'custom' ? (issue.params?.problem as Problem | undefined) : undefined;
  if (reported) return [{ ...reported, path }];
  const allowed = issue.message;
  const meant = (word: string) => allowed + didYouMean(word, allowed.split(', '));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      found: 'an unknown key',
      allowed: meant(key) + inEnvironment(key, allowed) + severalPeople([...path, key]),
    }));
  const there = describeAt(path, root);
  const isWord = (issue.code === 'invalid_value' || issue.code === 'invalid_union') && /^".*"$/.test(there);
  return [{ path, found: there, allowed: isWord ? meant(JSON.parse(there) as string) : allowed }];
}

/**
 * Returns a refinement for a section's own checks. @param find takes a value that its schema accepts, and returns
 * problems with paths below it.
 */
export const reportProblems =
  <T>(find: (value: T) => readonly Problem[]) =>
  (value: T, context: z.RefinementCtx<T>): void => {
    for (const problem of find(value))
      context.addIssue({
        code: 'custom',
        path: [...problem.path],
        message: sentenceOf(problem),
        params: { problem },
      });
  };

/** Suggests the environment variable for a secret, such as `api_key_env` for `api_key`. */
const inEnvironment = (key: string, known: string): string =>
  known.split(', ').includes(`${key}_env`)
    ? ` Secrets do not belong in the file: ${key}_env names the environment variable that holds the secret.`
    : '';

/** Explains how to require several approvals if the key looks like an attempt to do so [config.contradictions]. */
function severalPeople(path: Path): string {
  const text = path.filter((step) => typeof step === 'string').join('.');
  if (/^separation_rules\.(protocol|tool|target|upstream|arguments)$/.test(text))
    return '. Separation rules apply to places and capabilities. For one tool write a rule of tool_policies with decision: review and approval: { required: 2 }; from_teams and roles go there too.';
  return /(^|\.)rules\.(approval\.)?(requires?|approvals?|approvers|reviewers|required(_approvals)?|min_approvals|count|number|teams|people)$/.test(
    text,
  )
    ? '. For several people write approval: { required: 2 } in the rule, with from_teams and roles if only some of them count.'
    : '';
}
