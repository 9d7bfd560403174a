/** `risk`: shows a session's kill-switch state, and resumes the session. */

import { type Fields, fields, list } from '#core/kernel/json-fields.ts';
import { addCommand, addGroup, type Parent } from './command.ts';
import { addOperation, showAnswer } from './operation-command.ts';
import type { Output } from './output.ts';
import { showTree } from './tree.ts';

export function addRisk(program: Parent): void {
  const parent = addGroup(program, 'risk', 'Read the risk of a session, and release it: show, release');
  addOperation(parent, 'sessionRisk', showRisk);
  addCommand<{ readonly reason: string }>(parent, {
    usage: 'release <session>',
    summary: 'Release a blocked session and its key; the release is recorded in evidence',
    examples: ["risk release s1 --reason 'the upload was part of the task'"],
    options: (command) => command.requiredOption('--reason <text>', 'why the session may continue'),
    run: (cli, { reason }, [id = '']) =>
      showAnswer(cli, 'releaseSession', { path: { id }, body: { reason } }, showTree),
  });
}

function showRisk(out: Output, risk: Fields): void {
  for (const name of ['session_id', 'score', 'rule', 'blocked', 'reason', 'kill_switch_score'])
    out.field(name, risk[name]);
  out.field('key score', fields(risk.key).score);
  const replay = fields(risk.replay);
  out.field('the evidence agrees', replay.agrees);
  const alerts = list(replay.alerts ?? risk.alerts).map((row) => [row.at, row.rule, row.points, row.cites, row.reason]);
  out.rows('no alert', ['at', 'rule', 'points', 'entries', 'reason'], alerts);
}
