/** What the arguments of a tool that reads by its name may ask for [action.arguments-tighten]. */
import { capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import { classifyArguments } from '#core/policy/classification/classify-arguments.ts';

const asked = (tool: string, parameters: Record<string, unknown>) =>
  classifyArguments(tool, parameters)?.capability ?? 'read';

describe('an option where a value is expected', () => {
  test.each([
    ['git_diff', { target: '--output=/srv/x' }, 'execute'],
    ['git_diff', { target: ' --no-index /srv/a /srv/b' }, 'execute'],
    ['git_log', { max_count: '--output=x' }, 'execute'],
    ['get_file', { ref: '--upload-pack=x' }, 'execute'],
    ['git_diff', { target: 'main--old' }, 'read'],
    ['git_log', { query: '--output=x' }, 'read'],
    ['git_log', { args: ['--oneline'] }, 'read'],
    ['get_variable', { name: '--main-colour' }, 'read'],
    ['list_issues', { sort: '-created_at', body: '---' }, 'read'],
  ] as const)('[action.arguments-tighten] %s %j: %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });
});

describe('what stands within another value', () => {
  test.each([
    ['find_documents', { query: '{"$where": "sleep(1)"}' }, 'execute'],
    ['find_documents', { pipeline: '[{"$out": "copy"}]' }, 'write'],
    ['get_data', { params: '{"tool": "delete_file", "arguments": {"path": "x"}}' }, 'delete'],
    ['search_index', { body: { script: { source: 'x', lang: 'painless' } } }, 'execute'],
    ['search_index', { script_fields: { a: { script: { inline: 'x' } } } }, 'execute'],
    ['get_report', { next: { name: 'delete_file', arguments: {} } }, 'delete'],
    ['get_batch', { calls: [{ name: 'write_file', input: { path: 'x' } }] }, 'write'],
    ['get_user', { impersonate: 'root' }, 'execute'],
    ['list_pods', { options: { impersonateUser: 'x' } }, 'execute'],
    ['get_report', { run_as: 'root' }, 'execute'],
    ['get_api', { path: '/x HTTP/1.1\r\nX: y' }, 'execute'],
    ['get_page', { url: 'https://a.example/x\nHost: b' }, 'execute'],
    ['validate_xml', { xml: "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///x'>]>" }, 'execute'],
    ['get_api', { url: 'https://api.example/graphql?query=mutation%7Ba%7D' }, 'write'],
    ['get_report', { cache_to: 'x' }, 'write'],
    ['get_report', { file_out: 'x' }, 'write'],
    ['read_file', { path: 'a', append: 'x' }, 'write'],
    ['get_message', { ack: true }, 'write'],
    ['find_documents', { query: '{"status": "open"}', sort: '{"created": -1}' }, 'read'],
    ['get_report', { name: 'sales', parameters: { year: 2026 } }, 'read'],
    ['get_report', { name: 'Deleted users', input: 'x' }, 'read'],
    ['search_docs', { text: '{"delete": "all"}', query: '{"broken": ' }, 'read'],
    ['get_file', { path: 'a.md', description: 'two\nlines' }, 'read'],
    ['validate_xml', { xml: '<!DOCTYPE a [<!ENTITY x "y">]>' }, 'read'],
    ['get_api', { url: 'https://api.example/graphql?query=%7Ba%7D' }, 'read'],
  ] as const)('[action.arguments-tighten] %s %j: %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });
});

describe('queries of graphs and series', () => {
  test.each([
    ['get_rows', { cypher: 'MATCH (n) DETACH DELETE n' }, 'write'],
    ['get_nodes', { query: 'MATCH (n) SET n.x = 1' }, 'write'],
    ['neo4j.read', { query: "CALL apoc.load.json('http://a.example')" }, 'write'],
    ['read_neo4j_cypher', { query: "LOAD CSV FROM 'file:///x' AS l RETURN l" }, 'write'],
    ['read_neo4j_cypher', { query: 'MATCH (n) /* SET */ merge (m)' }, 'write'],
    ['get_nodes', { query: `MATCH (n) RETURN 'a\\\\' SET n.x = 1 // '` }, 'write'],
    ['get_nodes', { query: `${'/* '.repeat(80_000)}SET n.x = 1` }, 'write'],
    ['get_sparql', { query: 'DELETE WHERE { ?s ?p ?o }' }, 'write'],
    ['get_sparql', { query: 'SELECT ?s WHERE { SERVICE <http://a.example> { ?s ?p ?o } }' }, 'write'],
    ['get_gremlin', { query: 'g.V().drop()' }, 'write'],
    ['get_gremlin', { request: { query: "g.addV('x')" } }, 'write'],
    ['list_flux', { query: 'from(bucket: "a") |> to(bucket: "b")' }, 'write'],
    ['get_kql', { query: '.drop table T' }, 'write'],
    ['read_neo4j_cypher', { query: "MATCH (n:Set {set: 'delete'}) RETURN n.set ORDER BY n.update LIMIT 5" }, 'read'],
    ['get_sparql', { query: 'SELECT ?s WHERE { ?s ?p ?o }' }, 'read'],
    ['get_gremlin', { query: "g.V().has('name', 'drop').values('set')" }, 'read'],
    ['get_kql', { query: 'T | where x == 1 | take 5' }, 'read'],
    ['get_nodes', { name: 'delete me' }, 'read'],
    ['search_docs', { query: 'create a cypher query' }, 'read'],
  ] as const)('[action.arguments-tighten] %s %j: %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });
});

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
    ['get_data', { function: 'deleteUser' }, 'delete'],
    ['get_data', { func: 'delete_user()' }, 'delete'],
    ['get_data', { options: { functionName: 'update_all' } }, 'write'],
    ['get_data', { stored_procedure: 'purge_orders' }, 'delete'],
    ['get_data', { function: 'frobnicate' }, 'execute'],
    ['get_data', { tool: 'delete_file' }, 'delete'],
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
    ['get_data', { function: 'list_users' }],
    ['get_rows', { function: 'AVG' }],
    ['find_references', { function: 'deleteUser' }],
    ['describe_lambda', { functionName: 'deleteUser' }],
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
    ['get_page', { script: 'document.cookie' }, 'execute'],
    ['get_text', { script: "window['x']" }, 'execute'],
    ['list_pods', { args: ['delete', 'pod', 'x'] }, 'delete'],
    ['list_pods', { args: ['--all', 'delete', 'pod'] }, 'delete'],
    ['list_pods', { argv: ['exec', 'x', '--', 'sh'] }, 'execute'],
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

test('[action.arguments-tighten] calls that a grammar reads, and graver ones, keep their capability', async () => {
  const of = (named: 'read' | 'delete', protocol: string) =>
    capabilityOfCall(named, { protocol, tool: 'get_api', parameters: { method: 'POST' } });
  expect(await of('read', 'http')).toBe('read');
  expect(await of('read', 'mcp')).toBe('write');
  expect(await of('read', 'of-its-own')).toBe('write');
  expect(await of('delete', 'mcp')).toBe('delete');
});

test('[action.arguments-tighten] what is sent besides the parameters counts', async () => {
  const call = { protocol: 'mcp', tool: 'get_api', parameters: {}, sent_with: { method: 'DELETE' } };
  expect(await capabilityOfCall('read', call)).toBe('delete');
});

describe('addresses of operations', () => {
  test.each([
    ['get_api', { endpoint: '/users/1/delete' }, 'delete'],
    ['get_api', { endpoint: 'deleteUser' }, 'delete'],
    ['get_api', { path: '/users/1/delete' }, 'delete'],
    ['get_api', { endpoint: '/users/%31/d%65lete' }, 'delete'],
    ['get_api', { endpoint: '/users/1/d%2565lete' }, 'delete'],
    ['get_api', { endpoint: '/orders/5/refund' }, 'write'],
    ['get_api', { options: { api_path: 'v1/projects/p:setIamPolicy' } }, 'write'],
    ['get_page', { url: 'https://shop.example/users/1/delete' }, 'delete'],
    ['get_page', { url: 'https://shop.example/cart?action=purge' }, 'delete'],
    ['get_page', { url: 'https://shop.example/cart?_method=DELETE' }, 'delete'],
  ])('[action.arguments-tighten] %s %j is a %s', (tool, parameters, capability) => {
    expect(asked(tool, parameters)).toBe(capability);
  });

  test.each([
    ['get_api', { endpoint: '/users/7/orders' }],
    ['get_api', { endpoint: '/repos/acme/web/releases' }],
    ['get_api', { endpoint: '/stock/quote' }],
    ['get_file', { path: 'src/users/delete.ts' }],
    ['get_page', { url: 'https://docs.example/reference/objects/map/delete' }],
    ['get_page', { url: 'https://forum.example/questions/123/delete-a-branch' }],
    ['get_page', { url: 'https://search.example/?q=delete+user' }],
    ['get_page', { url: 'https://wiki.example/index.php?title=Delete&action=history' }],
  ])('[action.arguments-tighten] %s %j stays a read', (tool, parameters) => {
    expect(asked(tool, parameters)).toBe('read');
  });
});

describe('addresses that are not of the public web', () => {
  test.each([
    { url: 'http://localhost:3000/admin' },
    { url: 'localhost:8080/admin' },
    { url: '//127.0.0.1/' },
    { url: 'http://127.1/' },
    { url: 'http://2130706433/' },
    { url: 'http://0x7f.1/' },
    { url: 'HTTP:\\\\10.0.0.1\\x' },
    { url: 'http://user:pass@localhost/' },
    { url: 'http://127。0。0。1/' },
    { url: 'http://[::1]/' },
    { url: 'http://[::ffff:169.254.169.254]/' },
    { url: 'http://[fe80::1]/' },
    { url: 'http://169.254.169.254/latest/meta-data/' },
    { url: 'http://metadata.google.internal/computeMetadata/v1/' },
    { url: 'http://168.63.129.16/machine' },
    { url: 'http://10-0-0-1.nip.io/' },
    { url: 'http://db.svc.cluster.local/' },
    { url: 'http://redis:6379/' },
    { url: 'gopher://192.168.0.1/' },
    { urls: ['https://example.com/', 'http://localhost./'] },
    { thing: 'http://localhost/' },
    { host: 'localhost', path: '/admin' },
    { url: 'http:127.0.0.1/' },
    { url: 'http:/10.0.0.1/' },
    { url: 'https:localhost/admin' },
    { url: 'http://example.com\\@127.0.0.1/' },
    { url: 'http://example.com?@10.0.0.1/' },
    { url: 'http://example.com#@[::1]/' },
    { url: 'http://[fe80::1%25eth0]/' },
    { url: 'http://[::ffff:0:127.0.0.1]/' },
    { url: 'http://7f000001.nip.io/' },
    { url: 'http://x-a9fea9fe.sslip.io/' },
    { url: 'jar:http://127.0.0.1!/' },
    { url: 'blob:http://10.0.0.1/x' },
    { url: 'javascript:fetch(1)' },
    { url: ' java\tscript:fetch(1)' },
    { link: 'data:text/html,<script>x</script>' },
  ])('[action.arguments-tighten] get_page %j executes', (parameters) => {
    expect(asked('get_page', parameters)).toBe('execute');
  });

  test.each([
    ['get_page', { url: 'https://example.com/localhost' }],
    ['get_page', { url: 'https://example.com/npm/lib@10.1.2' }],
    ['get_page', { url: 'https://example.com/@user/10.0.0.1' }],
    ['get_page', { url: 'https://1a2b3c4d.example.com/' }],
    ['get_page', { url: 'https://08080808.nip.io/' }],
    ['describe_image', { image_url: 'data:image/png;base64,AAAA' }],
    ['get_status', { text: 'http: timed out', port: 'http:8080' }],
    ['get_page', { url: 'https://[2606:4700::1111]/' }],
    ['get_page', { url: 'https://172.32.0.1/' }],
    ['get_page', { url: 'example.com' }],
    ['get_page', { url: 'https://my-localhost.example/' }],
    ['search_docs', { query: 'http://localhost:3000 refused' }],
    ['list_databases', { host: 'localhost' }],
    ['get_database', { uri: 'db://localhost/a' }],
  ])('[action.arguments-tighten] %s %j stays a read', (tool, parameters) => {
    expect(asked(tool, parameters)).toBe('read');
  });
});

test.each([
  ['list_pods', { args: ['get', 'pods'] }],
  ['list_pods', { args: ['-n', 'prod'] }],
  ['get_status', { args: ['status', '--porcelain'] }],
  ['search_items', { args: ['apply for a job'] }],
  ['get_font', { script: 'Latin' }],
])('[action.arguments-tighten] %s with %j still reads', (tool, args) => {
  expect(classifyArguments(tool, args)).toBeUndefined();
});
