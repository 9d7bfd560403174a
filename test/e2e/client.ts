/** HTTP client for the end-to-end tests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DecisionResult } from '../../core/contracts/envelope.ts';
import type { SessionBundle } from '../../core/contracts/evidence.ts';
import { type Ran, runWarm } from '../support/warm-agentctl.ts';

export const root = resolve(__dirname, '../..');
export const e2eConfiguration = join(__dirname, 'gateway.yaml');

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

export interface Ask {
  readonly key?: string | undefined;
  readonly body?: unknown;
  /** Body sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

export type Fields = Record<string, unknown>;

export async function ask<T = Fields>(url: string, method: string, path: string, given: Ask = {}): Promise<Answer<T>> {
  const body = given.raw ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(given.key !== undefined && { 'x-api-key': given.key }),
      ...given.headers,
    },
    ...(body !== undefined && { body }),
  });
  const endless = method === 'GET' && response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = await (endless ? firstOf(response) : response.text());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as T };
}

/** Returns the first part of a stream, and cancels the rest. */
async function firstOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

export type Action = Partial<{
  protocol: string;
  tool: string;
  target: string;
  capability: string;
  parameters: Fields;
  actor: { agent?: string; session?: string };
  approval_ref: string;
  justification: string;
  dry_run: boolean;
}>;

export const pullRequest = (session: string, parameters: Fields = {}): Action => ({
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/web',
  capability: 'write',
  parameters: { title: 'Fix login', head: 'fix/login', base: 'main', ...parameters },
  actor: { agent: 'builder', session },
});

export const act = (url: string, key: string, action: Action) =>
  ask<DecisionResult>(url, 'POST', '/admin/v1/test-action', { key, body: action });

/** Makes an action that must receive a decision without an error. */
export async function decided(url: string, key: string, action: Action): Promise<DecisionResult> {
  const { status, body, text } = await act(url, key, action);
  if (status !== 200) throw new Error(`test-action answered ${status}: ${text}`);
  return body;
}

export interface ApprovalRecord {
  readonly envelope_id: string;
  readonly status: string;
  readonly reviewer: string;
  readonly person: string;
  readonly comment: string;
  readonly approved_at?: string;
  readonly denied_at?: string;
  readonly evidence_hash: string;
  readonly reason?: string;
}

export const vote = (
  url: string,
  key: string,
  verdict: 'approve' | 'deny',
  id: string,
  body: unknown = { reviewer: 'alice', comment: 'ok' },
) => ask<ApprovalRecord>(url, 'POST', `/admin/v1/approvals/${id}/${verdict}`, { key, body });

export const exportOf = async (url: string, key: string, session: string): Promise<SessionBundle> =>
  (await ask<SessionBundle>(url, 'GET', `/admin/v1/evidence/sessions/${session}/export`, { key })).body;

/** Returns the `kind` of every entry in a session, in order. */
export const kindsOf = async (url: string, key: string, session: string): Promise<string[]> =>
  (await exportOf(url, key, session)).entries.map(({ kind }) => kind);

/** Returns counts of everything the gateway has written for a tenant; any write increases them. */
export async function written(url: string, key: string): Promise<{ entries: number; pending: number }> {
  const sessions = await ask<{ sessions: { total_entries: number }[] }>(
    url,
    'GET',
    '/admin/v1/evidence/sessions?limit=200',
    { key },
  );
  const approvals = await ask<{ pending: unknown[] }>(url, 'GET', '/admin/v1/approvals?limit=200', { key });
  return {
    entries: sessions.body.sessions.reduce((sum, { total_entries }) => sum + total_entries, 0),
    pending: approvals.body.pending.length,
  };
}

/** Polls until `probe` returns a value, or fails after `seconds`. */
export async function until<T>(what: string, probe: () => Promise<T | undefined>, seconds = 150): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${seconds} s`);
    await new Promise((resume) => setTimeout(resume, 25));
  }
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** Creates a folder that is removed when the test file ends. */
export function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-e2e-'));
  folders.push(folder);
  return folder;
}

/** Writes the configuration for these tests to a new file, with some text replaced or added. */
export function configurationWith(change: (yaml: string) => string): string {
  const file = join(workFolder(), 'gateway.yaml');
  writeFileSync(file, change(readFileSync(e2eConfiguration, 'utf8')));
  return file;
}

/** Runs `agentctl` as a user would, with these additional environment variables. */
export function agentctl(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd: string = root,
  stdin?: string,
): Promise<Ran> {
  return runWarm({ args, cwd, env: { ...process.env, ...env }, stdin });
}
