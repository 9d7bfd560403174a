/**
 * Types that a value may be cast to without a separate effect: built-in ones of PostgreSQL. A cast to any other type
 * may run its owner's code, such as the check of a domain.
 */
import { nameOf } from './names.ts';
import { type Operation, operation } from './operation.ts';
import { listAt, type Tree } from './tree.ts';

/** Returns the effect of a cast to the type, if it has one. */
export function typeEffect(type: Tree): Operation | undefined {
  const name = nameOf(listAt(type, 'names'));
  const builtIn = !name.qualified || name.schema === 'pg_catalog';
  if (builtIn && harmlessTypes.has(name.name.replace(/^_/, ''))) return undefined;
  return operation('call', 'execute', name.target, { object: 'type', schema: name.schema });
}

export const harmlessTypes: ReadonlySet<string> = new Set(
  `bit bool box bpchar bytea char cid cidr circle date datemultirange daterange float4 float8 inet int2 int2vector int4
  int4multirange int4range int8 int8multirange int8range interval json jsonb jsonpath line lseg macaddr macaddr8 money
  name numeric nummultirange numrange oid oidvector path pg_lsn point polygon regclass regcollation regconfig
  regdictionary regnamespace regoper regoperator regproc regprocedure regrole regtype text tid time timestamp timestamptz
  timetz tsmultirange tsquery tsrange tstzmultirange tstzrange tsvector uuid varbit varchar xid xid8 xml`
    .trim()
    .split(/\s+/),
);
