/** Statements about access rights: GRANT, REVOKE, roles, policies, owners. */
import { relationsOf } from './data.ts';
import { objectWord } from './definitions.ts';
import { identifier, objectName, relationName } from './names.ts';
import { type Operation, operation, operationOn, type StatementReader } from './operation.ts';
import { listAt, nodeBody, type Tree, textAt, treeAt } from './tree.ts';

export const rightsStatements: Readonly<Record<string, StatementReader>> = {
  GrantStmt: (body) => ({ operations: granted(body), skip: ['objects'] }),
  GrantRoleStmt: (body) => ({
    operations: listAt(body, 'granted_roles').map((node) =>
      operation(verbOf(body), 'write', identifier(textAt(nodeBody(node, 'AccessPriv') ?? {}, 'priv_name') ?? ''), {
        object: 'role',
        to: grantees(body, 'grantee_roles'),
        rights: true,
      }),
    ),
  }),
  AlterDefaultPrivilegesStmt: (body) => {
    const action = treeAt(body, 'action');
    return {
      operations: [
        operation(verbOf(action), 'write', '', {
          object: 'default_privileges',
          to: grantees(action, 'grantees'),
          rights: true,
        }),
      ],
      skip: ['action'],
    };
  },
  CreateRoleStmt: (body) => onRole('create', textAt(body, 'role')),
  AlterRoleStmt: (body) => onRole('alter', textAt(treeAt(body, 'role'), 'rolename')),
  AlterRoleSetStmt: (body) => onRole('alter', textAt(treeAt(body, 'role'), 'rolename')),
  DropRoleStmt: (body) => ({
    operations: roleNames(body, 'roles').map((role) =>
      operation('drop', 'delete', role, { object: 'role', rights: true }),
    ),
  }),
  ReassignOwnedStmt: (body) => ({
    operations: roleNames(body, 'roles').map((role) =>
      operation('alter', 'write', role, { object: 'owned', rights: true }),
    ),
  }),
  CreatePolicyStmt: (body) => onPolicy('create', body),
  AlterPolicyStmt: (body) => onPolicy('alter', body),
  SecLabelStmt: (body) => ({
    operations: [operationOn('alter', 'write', objectWord(body.objtype), objectName(body.object), { rights: true })],
    skip: ['object'],
  }),
};

const verbOf = (body: Tree): 'grant' | 'revoke' => (body.is_grant === true ? 'grant' : 'revoke');

function granted(body: Tree): Operation[] {
  const verb = verbOf(body);
  const parameters = {
    privileges: listAt(body, 'privileges')
      .slice(0, maxNamed)
      .map((node) => textAt(nodeBody(node, 'AccessPriv') ?? {}, 'priv_name') ?? 'all'),
    to: grantees(body, 'grantees'),
    rights: true,
  };
  if (parameters.privileges.length === 0) parameters.privileges.push('all');
  const tables = relationsOf(body, 'objects');
  if (tables.length > 0)
    return tables.map((name) => operationOn(verb, 'write', objectWord(body.objtype), name, parameters));
  const inSchema = body.targtype === 'ACL_TARGET_ALL_IN_SCHEMA';
  const object = inSchema ? 'schema' : objectWord(body.objtype);
  const names = listAt(body, 'objects').map(objectName);
  if (names.length === 0) return [operation(verb, 'write', '', { object, ...parameters })];
  return names.map((name) =>
    object === 'schema'
      ? operation(verb, 'write', identifier(name.name), { object, schema: name.name, ...parameters })
      : operationOn(verb, 'write', object, name, parameters),
  );
}

/** Maximum number of privileges and grantees in a part. */
const maxNamed = 64;

const grantees = (body: Tree, key: string): string[] => roleNames(body, key).slice(0, maxNamed);

const roleNames = (body: Tree, key: string): string[] =>
  listAt(body, key).map((node) => {
    const role = nodeBody(node, 'RoleSpec') ?? {};
    return textAt(role, 'rolename') ?? (textAt(role, 'roletype') ?? '').replace(/^ROLESPEC_/, '').toLowerCase();
  });

const onRole = (verb: string, role: string | undefined) => ({
  operations: [operation(verb, 'write', identifier(role ?? ''), { object: 'role', rights: true })],
});

const onPolicy = (verb: string, body: Tree) => ({
  operations: [
    operationOn(verb, 'write', 'policy', relationName(treeAt(body, 'table')), {
      name: textAt(body, 'policy_name') ?? '',
      rights: true,
    }),
  ],
  skip: ['table'],
});
