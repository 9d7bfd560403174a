/**
 * Operations of executor `git`, one per tool. Parameters have the names that the policy's reader of Git calls expects:
 * `branch` and `path` are the ones written to.
 */
import * as z from 'zod';
import type { gitTools } from '#core/contracts/executor-tools.ts';
import { asText } from '#core/kernel/as-text.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { ExecutionFault } from '../fault.ts';
import { parametersOf } from '../parameters.ts';
import {
  branchView,
  changedFileView,
  commentView,
  commitView,
  entryView,
  fileView,
  issueView,
  pullRequestView,
  repositoryView,
} from './answers.ts';
import type { HostAnswer, Repository } from './host.ts';
import { branch, encodePath, path, ref, sha } from './names.ts';

interface PushFiles {
  readonly branch: string;
  readonly message: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

/** Pushes several files in one commit: creates the tree and commit, then moves the branch without forcing it. */
async function pushFiles(repository: Repository, { branch, message, files }: PushFiles): Promise<unknown> {
  const parent = shaIn((await repository.read(`/git/ref/heads/${encodePath(branch)}`)).object);
  const base = shaIn((await repository.read(`/git/commits/${parent}`)).tree);
  const entries = files.map(({ path, content }) => ({ path, content, mode: '100644', type: 'blob' }));
  const tree = shaIn(await repository.prepare('/git/trees', { base_tree: base, tree: entries }));
  const commit = shaIn(await repository.prepare('/git/commits', { message, tree, parents: [parent] }));
  await repository.change('PATCH', `/git/refs/heads/${encodePath(branch)}`, { sha: commit, force: false });
  return { branch, commit, files: files.map(({ path }) => path) };
}

function shaIn(answer: unknown): string {
  const { sha } = (isObject(answer) ? answer : {}) as HostAnswer;
  if (typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)) return sha;
  throw new ExecutionFault('malformed', 'its answer names no object');
}

interface Operation {
  run(repository: Repository, parameters: Readonly<Record<string, unknown>>): Promise<unknown>;
}

const operation = <Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (repository: Repository, parameters: z.infer<z.ZodObject<Shape>>) => Promise<unknown>,
): Operation => {
  // Most MCP clients repeat owner and name; both are first compared with the target.
  const schema = z.strictObject({ owner: z.string().optional(), repo: z.string().optional(), ...shape });
  return {
    run: (repository, parameters) =>
      run(repository, parametersOf(schema, parameters) as unknown as z.infer<z.ZodObject<Shape>>),
  };
};

const number = z.int().positive();
const text = z.string().max(65_536);
const title = z.string().min(1).max(256);
const page = { page: number.max(10_000).optional(), per_page: number.max(100).optional() };
const message = z.string().min(1).max(65_536);

const listing = async <T>(
  found: Promise<{ readonly items: readonly HostAnswer[]; readonly more: boolean }>,
  name: string,
  view: (item: HostAnswer) => T,
) => {
  const { items, more } = await found;
  return { [name]: items.map(view), more };
};

const blobOf = (content: string) => Buffer.from(content).toString('base64');

export const operations: Readonly<Record<(typeof gitTools)[number], Operation>> = {
  'scm.get_repository': operation({}, async (repository) => repositoryView(await repository.read(''))),

  'scm.get_file_contents': operation({ path, ref: ref.optional() }, async (repository, { path, ref }) =>
    fileView(await repository.read(`/contents/${encodePath(path)}`, { ref })),
  ),
  'scm.list_directory': operation({ path: path.optional(), ref: ref.optional() }, (repository, { path, ref }) =>
    listing(
      repository.list(`/contents${path === undefined ? '' : `/${encodePath(path)}`}`, { ref }),
      'entries',
      entryView,
    ),
  ),

  'scm.list_branches': operation(page, (repository, query) =>
    listing(repository.list('/branches', pageOf(query)), 'branches', branchView),
  ),
  'scm.get_branch': operation({ branch }, async (repository, { branch }) =>
    branchView(await repository.read(`/branches/${encodePath(branch)}`)),
  ),
  'scm.list_commits': operation({ sha: ref.optional(), path: path.optional(), ...page }, (repository, query) =>
    listing(repository.list('/commits', { sha: query.sha, path: query.path, ...pageOf(query) }), 'commits', commitView),
  ),
  'scm.get_commit': operation({ sha }, async (repository, { sha }) =>
    commitView(await repository.read(`/commits/${sha}`)),
  ),

  'scm.get_pull_request': operation({ number }, async (repository, { number }) =>
    pullRequestView(await repository.read(`/pulls/${number}`)),
  ),
  'scm.list_pull_requests': operation(
    {
      state: z.enum(['open', 'closed', 'all']).optional(),
      head: z.string().max(350).optional(),
      base: branch.optional(),
      ...page,
    },
    (repository, { state, head, base, ...query }) =>
      listing(repository.list('/pulls', { state, head, base, ...pageOf(query) }), 'pull_requests', pullRequestView),
  ),
  'scm.get_pull_request_files': operation({ number, ...page }, (repository, { number, ...query }) =>
    listing(repository.list(`/pulls/${number}/files`, pageOf(query)), 'files', changedFileView),
  ),
  'scm.get_issue': operation({ number }, async (repository, { number }) => ({
    ...issueView(await repository.read(`/issues/${number}`)),
  })),
  'scm.list_issue_comments': operation({ number, ...page }, (repository, { number, ...query }) =>
    listing(repository.list(`/issues/${number}/comments`, pageOf(query)), 'comments', commentView),
  ),

  'scm.create_branch': operation(
    { branch, from_branch: branch.optional(), from_sha: sha.optional() },
    async (repository, { branch, from_branch, from_sha }) => {
      const start = from_sha ?? (await tipOf(repository, from_branch ?? (await defaultBranch(repository))));
      await repository.change('POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: start });
      return { branch, sha: start };
    },
  ),

  'scm.create_or_update_file': operation(
    { path, content: z.string(), message, branch: branch.optional(), sha: sha.optional() },
    async (repository, { path, content, ...rest }) =>
      writtenView(
        await repository.change('PUT', `/contents/${encodePath(path)}`, { ...rest, content: blobOf(content) }),
      ),
  ),
  'scm.delete_file': operation(
    { path, message, sha, branch: branch.optional() },
    async (repository, { path, ...rest }) =>
      writtenView(await repository.change('DELETE', `/contents/${encodePath(path)}`, rest)),
  ),
  'scm.push_files': operation(
    {
      branch,
      message,
      files: z
        .array(z.strictObject({ path, content: z.string() }))
        .min(1)
        .max(100),
    },
    pushFiles,
  ),

  'scm.create_pull_request': operation(
    {
      title,
      body: text.optional(),
      base: branch,
      draft: z.boolean().optional(),
      head: z
        .string()
        .regex(/^(?:[A-Za-z0-9-]{1,39}:)?[^:]+$/, 'a branch, or owner:branch')
        .refine((head) => branch.safeParse(head.replace(/^[^:]*:/, '')).success, 'a branch by its plain name'),
    },
    async (repository, parameters) => pullRequestView(await repository.change('POST', '/pulls', parameters)),
  ),
  'scm.update_pull_request': operation(
    { number, title: title.optional(), body: text.optional(), state: z.enum(['open', 'closed']).optional() },
    async (repository, { number, ...changes }) =>
      pullRequestView(await repository.change('PATCH', `/pulls/${number}`, changes)),
  ),
  'scm.create_issue': operation(
    { title, body: text.optional(), labels: z.array(z.string().min(1).max(50)).max(20).optional() },
    async (repository, issue) => issueView(await repository.change('POST', '/issues', issue)),
  ),
  'scm.create_issue_comment': operation({ number, body: text.min(1) }, async (repository, { number, body }) =>
    commentView(await repository.change('POST', `/issues/${number}/comments`, { body })),
  ),
};

const pageOf = ({ page, per_page }: { page?: number | undefined; per_page?: number | undefined }) => ({
  page,
  per_page: per_page ?? 30,
});

const defaultBranch = async (repository: Repository): Promise<string> =>
  String((await repository.read('')).default_branch);

async function tipOf(repository: Repository, name: string): Promise<string> {
  const { object } = await repository.read(`/git/ref/heads/${encodePath(name)}`);
  return isObject(object) ? asText(object.sha) : '';
}

/** Returns a file's new blob (absent for a deletion) and its commit. */
const writtenView = ({ content, commit }: HostAnswer) => ({
  ...(isObject(content) && { path: content.path, sha: content.sha }),
  ...(isObject(commit) && { commit: commit.sha, url: commit.html_url }),
});
