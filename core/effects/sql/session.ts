/** Statements about the session and the server: settings, transactions, prepared statements, cursors, running code. */
import { functionCall } from './functions.ts';
import { identifier, qualifiedNameOf } from './names.ts';
import { operation, type StatementReader } from './operation.ts';
import { constantOf, listAt, optionsOf, textAt, treeAt } from './tree.ts';

export const sessionStatements: Readonly<Record<string, StatementReader>> = {
  VariableSetStmt: (body) => {
    const name = (textAt(body, 'name') ?? (body.kind === 'VAR_RESET_ALL' ? 'all' : '')).toLowerCase();
    return {
      operations: [
        operation('set', 'write', name, { object: 'setting', ...(roleSettings.has(name) && { rights: true }) }),
      ],
      ...(telling.has(name) && {
        unclear: `SET ${name} changes the meaning of the statements after it`,
      }),
    };
  },
  VariableShowStmt: (body) => singleOperation('show', 'read', (textAt(body, 'name') ?? '').toLowerCase()),
  TransactionStmt: (body) =>
    singleOperation('transaction', 'execute', (textAt(body, 'kind') ?? '').replace(/^TRANS_STMT_/, '').toLowerCase()),
  ConstraintsSetStmt: () => singleOperation('set', 'write', 'constraints'),
  DiscardStmt: (body) =>
    singleOperation('discard', 'execute', (textAt(body, 'target') ?? '').replace(/^DISCARD_/, '').toLowerCase()),
  CheckPointStmt: () => singleOperation('checkpoint', 'execute', ''),
  LoadStmt: (body) => singleOperation('load', 'execute', textAt(body, 'filename') ?? ''),
  NotifyStmt: (body) => singleOperation('notify', 'write', identifier(textAt(body, 'conditionname') ?? '')),
  ListenStmt: (body) => singleOperation('listen', 'read', identifier(textAt(body, 'conditionname') ?? '')),
  UnlistenStmt: (body) => singleOperation('unlisten', 'read', identifier(textAt(body, 'conditionname') ?? '')),

  // Planning reads statistics; ANALYZE executes the statement.
  ExplainStmt: (body) => {
    const options = optionsOf(listAt(body, 'options'));
    const unknown = options.find(({ name }) => !explainOptions.has(name));
    return {
      operations: [],
      planned: !options.some(({ name, value }) => name === 'analyze' && !isOff(value)),
      ...(unknown && { unclear: `EXPLAIN with the option ${unknown.name.slice(0, 64)} is not supported` }),
    };
  },
  // The statement may be executed later, at any time.
  PrepareStmt: (body) => singleOperation('prepare', 'execute', identifier(textAt(body, 'name') ?? '')),
  ExecuteStmt: (body) => ({
    operations: [operation('execute', 'execute', identifier(textAt(body, 'name') ?? ''))],
    unclear: `EXECUTE ${textAt(body, 'name') ?? ''} runs a statement prepared elsewhere`,
  }),
  DeallocateStmt: (body) => singleOperation('deallocate', 'execute', identifier(textAt(body, 'name') ?? '')),
  DeclareCursorStmt: (body) => singleOperation('declare', 'read', identifier(textAt(body, 'portalname') ?? '')),
  FetchStmt: (body) => singleOperation('fetch', 'read', identifier(textAt(body, 'portalname') ?? '')),
  ClosePortalStmt: (body) => singleOperation('close', 'read', identifier(textAt(body, 'portalname') ?? '')),

  DoStmt: (body) => {
    const language = constantOf(optionsOf(listAt(body, 'args')).find(({ name }) => name === 'language')?.value);
    return {
      operations: [operation('do', 'execute', String(language ?? 'plpgsql'))],
      unclear: 'the body of DO is a program',
    };
  },
  CallStmt: (body) => {
    const call = treeAt(body, 'funccall');
    const name = qualifiedNameOf(listAt(call, 'funcname'));
    return { operations: [functionCall(name, call, 'procedure')], skip: ['funccall'], visit: [call.args] };
  },
};

const explainOptions: ReadonlySet<string> = new Set(
  'analyze verbose costs settings generic_plan buffers serialize wal timing summary memory format'.split(' '),
);

/** Settings that change the session's role. */
const roleSettings: ReadonlySet<string> = new Set(['role', 'session_authorization']);
/** Settings that change how names are resolved or text is parsed. `session_replication_role` disables triggers. */
const telling: ReadonlySet<string> = new Set([
  'search_path',
  'standard_conforming_strings',
  'backslash_quote',
  'escape_string_warning',
  'client_encoding',
  'names',
  'session_replication_role',
  'all',
]);

/** Parses a boolean option as PostgreSQL does. Any other value counts as on. */
function isOff(value: unknown): boolean {
  if (value === undefined) return false;
  const constant = constantOf(value);
  return constant === false || ['false', 'off', '0'].includes(String(constant).toLowerCase());
}

const singleOperation = (verb: string, capability: 'read' | 'write' | 'execute', target: string) => ({
  operations: [operation(verb, capability, target)],
});
