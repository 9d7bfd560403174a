/** `policy`: versions of the configuration, and checks of files. */
import { addGroup, type Parent } from './command.ts';
import { fields, list } from './json-fields.ts';
import { addOperation } from './operation-command.ts';
import type { Output } from './output.ts';
import { addPolicyDiff } from './policy-diff.ts';
import { addPolicyMine } from './policy-mine.ts';
import { addPolicyTest } from './policy-test.ts';
import { showTree } from './tree.ts';

export function addPolicy(program: Parent): void {
  const parent = addGroup(
    program,
    'policy',
    'Work with policy files and versions: test, diff, mine, history, current, show, rollback',
  );
  addPolicyTest(parent);
  addPolicyDiff(parent, 'policy diff');
  addPolicyMine(parent);
  addOperation(parent, 'policy history', 'policyVersions', 'List the last 20 versions, newest first', showHistory);
  addOperation(parent, 'policy current', 'currentPolicyVersion', 'Show the version in force', showTree);
  addOperation(parent, 'policy show <version>', 'policyVersion', 'Show one version with its content', showTree);
  addOperation(
    parent,
    'policy rollback <version>',
    'policyRollback',
    'Store the content of an older version as a new version',
    showTree,
  );
}

function showHistory(out: Output, answer: unknown): void {
  const rows = list(fields(answer).versions).map((row) => [
    row.version,
    row.created_at,
    row.created_by,
    row.of_version === undefined ? row.source : `${row.source} of ${row.of_version}`,
    row.sha256,
  ]);
  if (rows.length === 0) out.line('there is no version yet');
  else out.table(['version', 'created', 'by', 'source', 'sha256'], rows);
}
