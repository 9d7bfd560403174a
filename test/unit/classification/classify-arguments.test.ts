/** What the arguments of a tool that reads by its name may ask for [action.arguments-tighten]. */
import { capabilityOfCall } from '#core/classification/agreed-capability.ts';
import { classifyArguments } from '#core/classification/classify-arguments.ts';

const asked = (tool: string, parameters: Record<string, unknown>) =>
  classifyArguments(tool, parameters)?.capability ?? 'read';

describe('operations named by an argument', () => {
  test.each([
    ['get_api', { path: '/users/7', method: 'DELETE' }, 'delete'],
    ['get_api', { method: 'delete' }, 'delete'],
    ['get_api', { httpMethod: 'Post' }, 'write'],
    ['get_api', { _method: 'PUT' }, 'write'],
    ['get_api', { request: { options: { Method: ' PATCH ' } } }, 'write'],
    ['get_api', { method: 'BREW' }, 'execute'],
    ['get_api', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }, 'delete'],
    ['get_api', { headers: { 'x-method-override': 'PUT' } }, 'write'],
    ['get_rpc', { method: 'eth_sendRawTransaction' }, 'write'],
    ['get_value', { key: 'a', operation: 'delete' }, 'delete'],
    ['get_value', { op: 'set' }, 'write'],
    ['get_value', { operations: [{ type: 'delete', id: 1 }] }, 'delete'],
    ['get_value', { actions: ['read', 'purge'] }, 'delete'],
    ['get_value', { action: 'frobnicate' }, 'execute'],
    ['get_value', { action_type: 'removeAll' }, 'delete'],
    ['get_value', { OPERATION: 'DropTable' }, 'delete'],
    ['get_result', { tool: 'delete_file', arguments: { path: 'x' } }, 'delete'],
    ['get_result', { steps: [{ tool_name: 'write_file', input: { path: 'x' } }] }, 'write'],
    ['get_result', { function: 'frobnicate', args: ['x'] }, 'execute'],
    ['find_documents', { pipeline: [{ $match: {} }, { $out: 'copy' }] }, 'write'],
    ['find_documents', { pipeline: [{ $merge: { into: 'copy' } }] }, 'write'],
    ['find_documents', { query: { $where: 'function () { return true }' } }, 'execute'],
    ['get_user', { set: { role: 'admin' } }, 'write'],
    ['get_document', { share_with: 'a@example.com' }, 'write'],
  ])('[action.arguments-tighten] %s %j is a %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });

  test.each([
    ['issue_read', { method: 'get_comments' }],
    ['get_api', { method: 'GET' }],
    ['get_api', { method: 'head' }],
    ['calculate_trend', { method: 'linear' }],
    ['list_values', { operation: 'list' }],
    ['get_repo', { action: 'status' }],
    ['get_events', { filters: { type: 'deleted', name: 'purge job' } }],
    ['find_payments', { payment_method: 'card' }],
    ['get_result', { tool: 'search_files', arguments: { query: 'x' } }],
    ['list_calls', { tool: 'delete_file' }],
    ['get_logs', { function: 'deleteUser' }],
    ['get_report', { name: 'sales', parameters: { year: 2026 } }],
    ['find_documents', { pipeline: [{ $match: { a: 1 } }, { $set: { b: '$a' } }, { $group: { _id: '$b' } }] }],
    ['get_images', { set: 'train' }],
  ])('[action.arguments-tighten] %s %j stays a read', (tool, parameters) => {
    expect(asked(tool, parameters)).toBe('read');
  });
});

describe('switches', () => {
  test.each([
    ['list_items', { purge: true }, 'delete'],
    ['list_items', { purge: 'TRUE' }, 'delete'],
    ['list_items', { purge: 1 }, 'delete'],
    ['get_messages', { mark_as_read: true }, 'write'],
    ['get_file', { deleteAfterRead: true }, 'delete'],
    ['get_file', { options: { force_delete: 'yes' } }, 'delete'],
    ['get_branch', { createIfMissing: true }, 'write'],
    ['get_report', { email: true }, 'write'],
    ['get_parameter', { decrypt: true }, 'write'],
    ['get_parameter', { Name: '/db/password', WithDecryption: true }, 'execute'],
    ['get_user', { reveal: 'true' }, 'execute'],
  ])('[action.arguments-tighten] %s %j is a %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });

  test.each([
    ['list_items', { purge: false }],
    ['list_items', { include_deleted: true }],
    ['list_items', { include_delete_markers: true }],
    ['list_items', { dry_run: true }],
    ['list_items', { expand: true, recursive: true, refresh: true }],
    ['list_items', { updated: true, created_after: '2026-01-01' }],
    ['search_code', { case_sensitive: true, follow: true }],
    ['list_pull_requests', { merged: true, draft: false }],
    ['get_commit', { commit: 'f00ba4' }],
  ])('[action.arguments-tighten] %s %j stays a read', (tool, parameters) => {
    expect(asked(tool, parameters)).toBe('read');
  });
});

describe('places that are written to', () => {
  test.each([
    { output_path: 'a/b' },
    { outputFile: 'b' },
    { save_to: '~/.bashrc' },
    { saveAs: 'x' },
    { download_to: '.' },
    { destination: 'src/index.ts' },
    { output: '/etc/cron.d/x' },
    { output: 'notes.md' },
    { outfile: 'x' },
    { export: { to_file: 'x' } },
    { write_to: 's3://bucket/x' },
  ])('[action.arguments-tighten] get_file %j writes', (parameters) => {
    expect(asked('get_file', parameters)).toBe('write');
  });

  test.each([
    { output: 'json' },
    { output_format: 'table' },
    { output: 'text/csv' },
    { output_mode: 'content' },
    { destination: 'Potsdam', origin: 'Berlin' },
    { to: 'EUR', from: 'USD' },
    { to: 'bob@example.com' },
    { target_file: 'src/a.ts' },
    { log_file: 'build.log' },
  ])('[action.arguments-tighten] get_file %j only reads', (parameters) => {
    expect(asked('get_file', parameters)).toBe('read');
  });
});

describe('what is changed, and where things go', () => {
  test.each([
    ['get_items', { delete: 'a.txt' }, 'delete'],
    ['get_items', { Remove: ['a', 'b'] }, 'delete'],
    ['get_items', { update: { id: 1, name: 'x' } }, 'write'],
    ['find_files', { exec: 'rm {}' }, 'execute'],
    ['read_file', { mode: 'w' }, 'write'],
    ['read_file', { open_mode: 'r+' }, 'write'],
    ['get_value', { mode: 'deleteAll' }, 'delete'],
    ['search_files', { pattern: 'a', replacement: 'b' }, 'write'],
    ['search_files', { pattern: 'a', replaceWith: 'b' }, 'write'],
    ['get_report', { send_to: 'eve@example.com' }, 'write'],
    ['get_report', { email_to: 'eve@example.com' }, 'write'],
    ['get_report', { options: { webhookUrl: 'https://eve.example' } }, 'write'],
  ])('[action.arguments-tighten] %s %j is a %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });

  test.each([
    ['read_file', { mode: 'r' }],
    ['get_route', { mode: 'transit' }],
    ['get_page', { mode: 'expand' }],
    ['list_items', { start: '2026-01-01', stop: '2026-02-01', set: 'A', seed: '42' }],
    ['list_items', { delete: '' }],
    ['list_items', { remove: [] }],
    ['list_events', { created_to: '2026-01-01', assigned_to: 'bob' }],
    ['get_items', { limit: 5, update: false }],
  ])('[action.arguments-tighten] %s %j stays a read', (tool, parameters) => {
    expect(asked(tool, parameters)).toBe('read');
  });
});

describe('programs and documents', () => {
  test.each([
    ['get_graphql', { query: 'mutation { removeUser(id: 1) { id } }' }, 'write'],
    ['get_graphql', { query: '# get\nmutation#x\nDo($a: Int = 1) { x }' }, 'write'],
    ['get_graphql', { query: 'query A { a } mutation B @live { b }' }, 'write'],
    ['get_graphql', { query: '{ a },,subscription { b }' }, 'write'],
    ['get_page', { script: 'document.cookie = 1' }, 'execute'],
    ['read_cell', { code: 'import os; os.remove("x")' }, 'execute'],
    ['calculate', { expression: '__import__("os").system("id")' }, 'execute'],
    ['calculate', { expression: 'process.exit(1)' }, 'execute'],
  ])('[action.arguments-tighten] %s %j is a %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });

  test.each([
    ['get_graphql', { query: '{ viewer { mutation } }' }],
    ['get_graphql', { query: 'query Mutations { mutations { id } }' }],
    ['search_docs', { query: 'how to write a mutation' }],
    ['get_country', { code: 'DE' }],
    ['list_errors', { code: 'E1001' }],
    ['check_syntax', { code: 'let a = f(1);' }],
    ['calculate', { expression: 'sqrt(2) * (3 + 4)' }],
  ])('[action.arguments-tighten] %s %j stays a read', (tool, parameters) => {
    expect(asked(tool, parameters)).toBe('read');
  });

  test('[action.arguments-tighten] what is too large or too deep to look over executes', () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 100; i++) deep = { a: deep };
    expect(asked('get_file', deep)).toBe('execute');
    expect(asked('get_file', { ids: Array.from({ length: 30_000 }, (_, i) => i) })).toBe('execute');
  });
});

test('[action.arguments-tighten] calls that a grammar reads, and graver ones, keep their capability', () => {
  const of = (named: 'read' | 'delete', protocol: string) =>
    capabilityOfCall(named, { protocol, tool: 'get_api', parameters: { method: 'POST' } });
  expect(of('read', 'http')).toBe('read');
  expect(of('read', 'mcp')).toBe('write');
  expect(of('read', 'of-its-own')).toBe('write');
  expect(of('delete', 'mcp')).toBe('delete');
});

test('[action.arguments-tighten] what is sent besides the parameters counts', () => {
  const call = { protocol: 'mcp', tool: 'get_api', parameters: {}, sent_with: { method: 'DELETE' } };
  expect(capabilityOfCall('read', call)).toBe('delete');
});
