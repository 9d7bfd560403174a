/** The page of SQL functions and constructs that have no effect of their own. */
import { harmlessFunctions } from '#core/catalog/databases.ts';
import { builtInOperators } from '#core/effects/sql/operators.ts';
import { harmlessTypes } from '#core/effects/sql/types.ts';
import { codes, origin } from './markdown.ts';

export function sqlPage(): string {
  const functions = Object.entries(harmlessFunctions).map(
    ([group, names]) => `### ${group}\n\n${codes(names.split(' '))}\n`,
  );
  return `# SQL queries

${origin('`core/catalog/databases.yaml` and `core/effects/sql`')}
SQL is parsed with PostgreSQL's grammar. The functions, types and operators listed here only compute. Any other function, type or operator, and an
attribute such as \`(x).f\`, is an effect \`sql.call\` of that name, on which a policy decides as on any other.

## Functions

${functions.join('\n')}
## Types that values may be cast to

${codes([...harmlessTypes])}

## Operators

${codes([...builtInOperators])}
`;
}
