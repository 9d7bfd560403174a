/** The reading tools of the common Git-host MCP server by their bare names, and their neighbours that change something. */
import { everydayDecider } from '../support/everyday-tool-calls.ts';

const here = { owner: 'acme', repo: 'web' };
const reading: readonly (readonly [tool: string, more: Record<string, unknown>])[] = [
  ['get_commit', { sha: '73309de' }],
  ['get_file_contents', { path: 'src/a.ts' }],
  ['get_file_contents', { path: '/' }],
  ['get_latest_release', {}],
  ['get_pull_request', { pullNumber: 1 }],
  ['get_pull_request_diff', { pullNumber: 1 }],
  ['get_pull_request_files', { pullNumber: 1 }],
  ['get_release_by_tag', { tag: 'v1' }],
  ['get_repository_tree', { recursive: true }],
  ['get_tag', { tag: 'v1' }],
  ['issue_read', { method: 'get', issue_number: 1 }],
  ['list_branches', {}],
  ['list_commits', { sha: 'main' }],
  ['list_issues', { state: 'OPEN' }],
  ['list_pull_requests', { state: 'open' }],
  ['list_releases', {}],
  ['list_tags', {}],
  ['pull_request_read', { method: 'get', pullNumber: 1 }],
  ['search_code', { query: 'repo:acme/web TODO' }],
  ['search_issues', { query: 'is:open' }],
  ['search_pull_requests', { query: 'is:open' }],
];

const changing: typeof reading = [
  ['create_or_update_file', { path: 'a', content: '', branch: 'b', message: 'm' }],
  ['push_files', { branch: 'b', files: [], message: 'm' }],
  ['merge_pull_request', { pullNumber: 1 }],
  ['delete_file', { path: 'a', branch: 'b', message: 'm' }],
  ['get_or_create_branch', { branch: 'b' }],
  ['get_commit', { sha: 'a', force_push: true, branch: 'main', method: 'DELETE' }],
];

describe.each(['readonly', 'pr-writer', 'coding-agent'] as const)('[pack.git-host-reads] %s', (pack) => {
  const decide = everydayDecider(pack);
  test.each(reading)('%s %j is allowed', async (tool, more) => {
    expect(await decide({ server: 'github', tool, hint: 'read', arguments: { ...here, ...more } as never })).toBe(
      'allow',
    );
  });
  test.each(changing)('%s %j is not', async (tool, more) => {
    expect(await decide({ server: 'github', tool, arguments: { ...here, ...more } as never })).not.toBe('allow');
  });
});
