/** Reads every call's effects with PostgreSQL's grammar, which is loaded on the first call that contains SQL. */
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { gitEffects } from '#core/effects/git.ts';
import { httpEffects } from '#core/effects/http.ts';
import type { Effects } from '#core/effects/ports.ts';
import { readEffects } from '#core/effects/read.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { carriesSql, type SqlParse, sqlEffects } from '#core/effects/sql.ts';
import { sqlGrammar } from './grammar.ts';

/** Reads the effects. Never throws: if the grammar is unavailable, the effects of SQL are unclear. */
export async function readCallEffects(call: ToolCall, programs?: OwnPrograms): Promise<Effects> {
  const parse = carriesSql(call) ? await sqlGrammar().catch(unavailable) : unused;
  return readEffects({ shell: shellEffects, sql: sqlEffects(parse), http: httpEffects, git: gitEffects })(
    call,
    programs,
  );
}

function unavailable(fault: unknown): SqlParse {
  return () => {
    throw fault;
  };
}

const unused: SqlParse = () => {
  throw new Error('the grammar was not loaded for this call');
};
