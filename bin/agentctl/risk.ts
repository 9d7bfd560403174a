/** `risk`: shows a session's kill-switch state, and resumes the session. */
import { addCommand, addGroup, type Parent } from './command.ts';
import { fields, list } from './json-fields.ts';
import { showTree } from './tree.ts';

export function addRisk(program: Parent): void {
  const parent = addGroup(program, 'risk', 'Read the risk of a session, and release it: show, release');
  addCommand<{ readonly replay?: true }>(parent, {
    usage: 'show <session>',
    summary: 'Show the risk score and findings of a session; exit code 1 when it is blocked',
    examples: ['risk show s1', 'risk show s1 --replay --json'],
    options: (command) => command.option('--replay', 'work the score out again from the evidence'),
    run: async ({ api, out, globals }, { replay }, [id = '']) => {
      const answer = await api().call('sessionRisk', { path: { id }, query: { replay: replay ? 'true' : undefined } });
      const risk = fields(answer.json);
      if (globals.json) out.json(answer.text);
      else {
        for (const name of ['session_id', 'score', 'rule', 'blocked', 'reason', 'kill_switch_score'])
          out.field(name, risk[name]);
        out.field('key score', fields(risk.key).score);
        const again = fields(risk.replay);
        out.field('the evidence agrees', again.agrees);
        const alerts = list(again.alerts ?? risk.alerts).map((row) => [
          row.at,
          row.rule,
          row.points,
          row.cites,
          row.reason,
        ]);
        if (alerts.length > 0) out.table(['at', 'rule', 'points', 'entries', 'reason'], alerts);
        else out.line('no alert');
      }
      return risk.blocked === true ? 'negative' : 'positive';
    },
  });
  addCommand<{ readonly reason: string }>(parent, {
    usage: 'release <session>',
    summary: 'Release a blocked session and its key; the release is recorded in evidence',
    examples: ["risk release s1 --reason 'the upload was part of the task'"],
    options: (command) => command.requiredOption('--reason <text>', 'why it may go on'),
    run: async ({ api, out, globals }, { reason }, [id = '']) => {
      const answer = await api().call('releaseSession', { path: { id }, body: { reason } });
      if (globals.json) out.json(answer.text);
      else showTree(out, answer.json);
      return 'positive';
    },
  });
}
