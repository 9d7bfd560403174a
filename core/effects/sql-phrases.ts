/** Describes a SQL statement: `Deletes all rows of users in analytics (no WHERE)`. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { type Phrase, riskOf } from './service-phrases.ts';

const statements: ReadonlyMap<string, string> = new Map(
  Object.entries({
    select: 'Reads rows of',
    insert: 'Adds rows to',
    update: 'Changes rows of',
    delete: 'Deletes rows of',
    merge: 'Adds, changes or deletes rows of',
    truncate: 'Deletes all rows of',
    call: 'Calls function',
  }),
);
const definitions: ReadonlyMap<string, string> = new Map(
  Object.entries({ create: 'Creates', alter: 'Changes', drop: 'Drops' }),
);

/** @param call the call that carries the statement. Its target is the database. */
export function sqlPhrase(part: ToolCall, call: ToolCall): Phrase {
  const { tool, target, parameters } = part;
  const { has_where: hasWhere, columns } = parameters;
  const verb = tool.replace(/^sql\./, '');
  const database = foldCase(call.protocol).trim() === 'sql' && call.target !== '' && call !== part ? call.target : '';
  const tail = database === '' || database === target ? '' : ` in ${database}`;
  const name = target || 'something that is not named';
  const phrase = (words: string, more = ''): Phrase => ({
    verb: words,
    objects: [name],
    tail: tail + more,
    risk: parameters.drops === true ? 'deletes' : riskOf({ tool: '', capability: part.capability }),
  });
  if (hasWhere === false && verb === 'update') return phrase('Changes all rows of', ' (no WHERE)');
  if (hasWhere === false && verb === 'delete') return phrase('Deletes all rows of', ' (no WHERE)');
  if (verb === 'update' && Array.isArray(columns) && columns.length > 0 && columns.length <= 3)
    return phrase(`Changes ${columns.join(', ')} in rows of`);
  const known = statements.get(verb);
  if (known !== undefined) return phrase(known);
  const object = typeof parameters.object === 'string' ? ` ${parameters.object}` : '';
  if (verb === 'alter' && parameters.drops === true) return phrase(`Drops parts of${object}`);
  const rights = rightsWords(parameters);
  if (verb === 'grant') return phrase(`Grants ${rights} on${object}`, to(parameters, 'to'));
  if (verb === 'revoke') return phrase(`Revokes ${rights} on${object}`, to(parameters, 'from'));
  return phrase(`${definitions.get(verb) ?? `Runs SQL ${verb} on`}${object}`);
}

const rightsWords = ({ privileges }: ToolCall['parameters']): string =>
  Array.isArray(privileges) && privileges.length > 0 ? privileges.join(', ') : 'rights';

const to = ({ to: people }: ToolCall['parameters'], word: string): string =>
  Array.isArray(people) && people.length > 0 ? ` ${word} ${people.join(', ')}` : '';
