/** Statements that define, change and drop objects (DDL). Most differ only in where the tree stores the name. */
import { cascade, intoTable, temporary } from './data.ts';
import { identifier, objectName, type QualifiedName, qualifiedNameOf, relationName } from './names.ts';
import { type Capability, type Operation, operation, operationOn, type StatementReader } from './operation.ts';
import { constantOf, listAt, nodeBody, optionsOf, stringsOf, type Tree, textAt, treeAt } from './tree.ts';

/** Builds a reader for a table-like object at `key`. */
const onRelation =
  (verb: string, object: string, key = 'relation', parameters: Parameters = noParameters): StatementReader =>
  (body) => ({
    operations: [operationOn(verb, 'write', object, relationName(treeAt(body, key)), parameters(body))],
    skip: [key],
  });

/** Builds a reader for an object whose name is one word without a schema: a database, a role, an extension. */
const onWord =
  (
    verb: string,
    object: string,
    key: string,
    capability: Capability = 'write',
    parameters: Parameters = noParameters,
  ): StatementReader =>
  (body) => ({
    operations: [operation(verb, capability, identifier(textAt(body, key) ?? ''), { object, ...parameters(body) })],
  });

/** Builds a reader for an object whose name is a list of words. */
const onName =
  (verb: string, object: string, key: string): StatementReader =>
  (body) => ({ operations: [operationOn(verb, 'write', object, qualifiedNameOf(listAt(body, key)))] });

type Parameters = (body: Tree) => Readonly<Record<string, unknown>>;
const noParameters: Parameters = () => ({});
/** Marks a change of access rights. */
const rights: Parameters = () => ({ rights: true });

/** Returns `foreign_table` for `OBJECT_FOREIGN_TABLE`. */
export const objectWord = (type: unknown): string =>
  typeof type === 'string' ? type.replace(/^(OBJECT|REINDEX_OBJECT)_/, '').toLowerCase() : 'object';

export const definitionStatements: Readonly<Record<string, StatementReader>> = {
  CreateStmt: (body) => {
    const relation = treeAt(body, 'relation');
    return {
      operations: [operationOn('create', 'write', 'table', relationName(relation), temporary(relation))],
      skip: ['relation'],
    };
  },
  CreateForeignTableStmt: (body) => {
    const base = treeAt(body, 'base');
    const name = relationName(treeAt(base, 'relation'));
    return {
      operations: [operationOn('create', 'write', 'foreign_table', name)],
      skip: ['base'],
      visit: [base.tableElts],
    };
  },
  CreateTableAsStmt: (body) => ({
    operations: intoTable(treeAt(body, 'into'), objectWord(body.objtype)),
    skip: ['into'],
  }),
  // A view stores a query: each use of the view reads its tables again, which is not visible here.
  ViewStmt: onRelation('create', 'view', 'view'),
  IndexStmt: onRelation('create', 'index'),
  CreateSeqStmt: onRelation('create', 'sequence', 'sequence'),
  CompositeTypeStmt: onRelation('create', 'type', 'typevar'),
  CreateSchemaStmt: onWord('create', 'schema', 'schemaname'),
  CreatedbStmt: onWord('create', 'database', 'dbname'),
  CreateTableSpaceStmt: onWord('create', 'tablespace', 'tablespacename', 'write', (body) => ({ path: body.location })),
  // Code that runs later, with the privileges of the role that triggers it or of its owner.
  CreateFunctionStmt: (body) => {
    const options = optionsOf(listAt(body, 'options'));
    const language = String(constantOf(options.find(({ name }) => name === 'language')?.value) ?? 'sql').toLowerCase();
    const definer = options.some(({ name, value }) => name === 'security' && constantOf(value) === true);
    const object = body.is_procedure === true ? 'procedure' : 'function';
    return {
      operations: [
        operationOn(
          'create',
          safeLanguages.has(language) ? 'write' : 'execute',
          object,
          qualifiedNameOf(listAt(body, 'funcname')),
          {
            language,
            ...(definer && { security_definer: true }),
          },
        ),
      ],
    };
  },
  CreateTrigStmt: (body) => ({
    operations: [
      operationOn('create', 'write', 'trigger', relationName(treeAt(body, 'relation')), {
        name: textAt(body, 'trigname') ?? '',
        function: qualifiedNameOf(listAt(body, 'funcname')).target,
      }),
    ],
    skip: ['relation', 'constrrel'],
  }),
  CreateEventTrigStmt: onWord('create', 'event_trigger', 'trigname', 'execute'),
  AlterEventTrigStmt: onWord('alter', 'event_trigger', 'trigname', 'execute'),
  RuleStmt: onRelation('create', 'rule'),
  CreateExtensionStmt: onWord('create', 'extension', 'extname', 'execute'),
  AlterExtensionStmt: onWord('alter', 'extension', 'extname', 'execute'),
  AlterExtensionContentsStmt: onWord('alter', 'extension', 'extname', 'execute'),
  CreatePLangStmt: onWord('create', 'language', 'plname', 'execute'),
  CreateAmStmt: onWord('create', 'access_method', 'amname', 'execute'),
  CreateCastStmt: () => ({ operations: [operation('create', 'execute', '', { object: 'cast' })] }),
  CreateTransformStmt: onWord('create', 'transform', 'lang', 'execute'),
  CreateConversionStmt: onName('create', 'conversion', 'conversion_name'),
  CreateOpClassStmt: onName('create', 'opclass', 'opclassname'),
  CreateOpFamilyStmt: onName('create', 'opfamily', 'opfamilyname'),
  AlterOpFamilyStmt: onName('alter', 'opfamily', 'opfamilyname'),
  DefineStmt: (body) => ({
    operations: [operationOn('create', 'write', objectWord(body.kind), qualifiedNameOf(listAt(body, 'defnames')))],
  }),
  CreateDomainStmt: onName('create', 'domain', 'domainname'),
  CreateEnumStmt: onName('create', 'type', 'typeName'),
  CreateRangeStmt: onName('create', 'type', 'typeName'),
  CreateStatsStmt: onName('create', 'statistics', 'defnames'),
  AlterStatsStmt: onName('alter', 'statistics', 'defnames'),
  // Network objects: servers, their accounts, replication.
  CreateFdwStmt: onWord('create', 'foreign_data_wrapper', 'fdwname', 'execute'),
  AlterFdwStmt: onWord('alter', 'foreign_data_wrapper', 'fdwname', 'execute'),
  CreateForeignServerStmt: onWord('create', 'server', 'servername', 'execute'),
  AlterForeignServerStmt: onWord('alter', 'server', 'servername', 'execute'),
  CreateUserMappingStmt: onWord('create', 'user_mapping', 'servername', 'execute', rights),
  AlterUserMappingStmt: onWord('alter', 'user_mapping', 'servername', 'execute', rights),
  DropUserMappingStmt: onWord('drop', 'user_mapping', 'servername', 'delete', rights),
  ImportForeignSchemaStmt: onWord('create', 'foreign_schema', 'local_schema', 'execute'),
  CreatePublicationStmt: onWord('create', 'publication', 'pubname', 'execute'),
  AlterPublicationStmt: onWord('alter', 'publication', 'pubname', 'execute'),
  CreateSubscriptionStmt: onWord('create', 'subscription', 'subname', 'execute'),
  AlterSubscriptionStmt: onWord('alter', 'subscription', 'subname', 'execute'),
  DropSubscriptionStmt: onWord('drop', 'subscription', 'subname', 'delete'),

  AlterTableStmt: (body) => {
    const changes = listAt(body, 'cmds').map((node) => textAt(nodeBody(node, 'AlterTableCmd') ?? {}, 'subtype') ?? '');
    const drops = changes.some((change) => /^AT_Drop(Column|Constraint)$|^AT_DetachPartition/.test(change));
    return {
      operations: [
        operationOn('alter', 'write', objectWord(body.objtype), relationName(treeAt(body, 'relation')), {
          changes: [...new Set(changes.map((change) => change.replace(/^AT_/, '')))].slice(0, 64),
          ...(drops && { drops: true }),
          ...(changes.some((change) => /ChangeOwner|RowSecurity/.test(change)) && { rights: true }),
        }),
      ],
      skip: ['relation'],
    };
  },
  AlterTableMoveAllStmt: onWord('alter', 'tablespace', 'orig_tablespacename'),
  AlterTableSpaceOptionsStmt: onWord('alter', 'tablespace', 'tablespacename'),
  AlterSeqStmt: onRelation('alter', 'sequence', 'sequence'),
  AlterDomainStmt: onName('alter', 'domain', 'typeName'),
  AlterEnumStmt: onName('alter', 'type', 'typeName'),
  AlterTypeStmt: onName('alter', 'type', 'typeName'),
  AlterCollationStmt: onName('alter', 'collation', 'collname'),
  AlterTSDictionaryStmt: onName('alter', 'tsdictionary', 'dictname'),
  AlterTSConfigurationStmt: onName('alter', 'tsconfiguration', 'cfgname'),
  AlterOperatorStmt: (body) => altered('operator', qualifiedNameOf(listAt(treeAt(body, 'opername'), 'objname'))),
  AlterFunctionStmt: (body) => altered('function', qualifiedNameOf(listAt(treeAt(body, 'func'), 'objname'))),
  AlterDatabaseStmt: onWord('alter', 'database', 'dbname'),
  AlterDatabaseRefreshCollStmt: onWord('alter', 'database', 'dbname'),
  AlterDatabaseSetStmt: onWord('alter', 'database', 'dbname'),
  AlterSystemStmt: (body) => ({
    operations: [operation('alter', 'execute', textAt(treeAt(body, 'setstmt'), 'name') ?? '', { object: 'system' })],
  }),
  RenameStmt: (body) => changeOf(body, objectWord(body.renameType), { renames: true }),
  AlterObjectSchemaStmt: (body) => changeOf(body, objectWord(body.objectType), { moves: true }),
  AlterObjectDependsStmt: (body) => changeOf(body, objectWord(body.objectType)),
  AlterOwnerStmt: (body) => changeOf(body, objectWord(body.objectType), { rights: true }),
  CommentStmt: (body) => ({
    operations: [operationOn('comment', 'write', objectWord(body.objtype), objectName(body.object))],
    skip: ['object'],
  }),

  DropStmt: (body) => {
    const object = objectWord(body.removeType);
    return {
      operations: listAt(body, 'objects').map((node) => dropOperation(object, node, cascade(body))),
      skip: ['objects'],
    };
  },
  DropTableSpaceStmt: onWord('drop', 'tablespace', 'tablespacename', 'delete'),
  DropdbStmt: onWord('drop', 'database', 'dbname', 'delete'),
  DropOwnedStmt: (body) => ({
    operations: listAt(body, 'roles').map((node) =>
      operation('drop', 'delete', identifier(textAt(nodeBody(node, 'RoleSpec') ?? {}, 'rolename') ?? ''), {
        object: 'owned',
        rights: true,
      }),
    ),
  }),

  // Maintenance.
  VacuumStmt: (body) => {
    const verb = body.is_vacuumcmd === true ? 'vacuum' : 'analyze';
    const tables = listAt(body, 'rels').map((node) =>
      relationName(treeAt(nodeBody(node, 'VacuumRelation') ?? {}, 'relation')),
    );
    return {
      operations:
        tables.length === 0
          ? [operation(verb, 'write', '', { object: 'database' })]
          : tables.map((name) => operationOn(verb, 'write', 'table', name)),
      skip: ['rels'],
    };
  },
  ClusterStmt: (body) => upkeep('cluster', body),
  ReindexStmt: (body) => upkeep('reindex', body),
  RefreshMatViewStmt: onRelation('refresh', 'matview'),
};

/** Languages whose code stays inside the database. Any other language can access the server's files and network. */
const safeLanguages: ReadonlySet<string> = new Set(['sql', 'plpgsql']);

const altered = (object: string, name: QualifiedName) => ({
  operations: [operationOn('alter', 'write', object, name)],
});

const changeOf = (body: Tree, object: string, parameters: Readonly<Record<string, unknown>> = {}) => {
  const relation = treeAt(body, 'relation');
  const name = textAt(relation, 'relname') === undefined ? objectName(body.object) : relationName(relation);
  return {
    operations: [
      operationOn('alter', 'write', object, name, { ...parameters, ...(object === 'role' && { rights: true }) }),
    ],
    skip: ['relation', 'object'],
  };
};

/** Returns the drop operation. Triggers, rules and policies are named after their table: `[schema, table, name]`. */
function dropOperation(object: string, node: unknown, parameters: Readonly<Record<string, unknown>>): Operation {
  if (object === 'trigger' || object === 'rule' || object === 'policy') {
    const items = listAt(nodeBody(node, 'List') ?? {}, 'items');
    return operationOn('drop', 'delete', object, qualifiedNameOf(items.slice(0, -1)), {
      ...parameters,
      name: stringsOf(items).at(-1) ?? '',
      ...(object === 'policy' && { rights: true }),
    });
  }
  const inSchema = ![
    'schema',
    'extension',
    'database',
    'role',
    'foreign_server',
    'fdw',
    'language',
    'publication',
    'event_trigger',
    'access_method',
  ].includes(object);
  const name = objectName(node);
  if (inSchema) return operationOn('drop', 'delete', object, name, parameters);
  return operation('drop', 'delete', identifier(name.name), {
    object,
    ...(object === 'schema' && { schema: name.name }),
    ...parameters,
  });
}

const upkeep = (verb: string, body: Tree) => {
  const relation = treeAt(body, 'relation');
  return {
    operations: [
      textAt(relation, 'relname') === undefined
        ? operation(verb, 'write', identifier(textAt(body, 'name') ?? ''), { object: objectWord(body.kind) })
        : operationOn(verb, 'write', 'table', relationName(relation)),
    ],
    skip: ['relation'],
  };
};
