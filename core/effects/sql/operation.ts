/** A single operation of SQL text on one object, not yet converted to a part of the call. */
import type { QualifiedName } from './names.ts';
import type { Tree } from './tree.ts';

export type Capability = 'read' | 'write' | 'delete' | 'execute';

export interface Operation {
  /** Verb in the tool name `sql.<verb>`. */
  readonly verb: string;
  readonly target: string;
  readonly capability: Capability;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The operations of a statement, and the members that are still to be walked. */
interface StatementReading {
  readonly operations: readonly Operation[];
  /** Members that name the object of the operation rather than something that is read. */
  readonly skip?: readonly string[];
  /** Nodes in skipped members that must be walked. */
  readonly visit?: readonly unknown[];
  /** Set if the inner statement is only planned, not executed. */
  readonly planned?: boolean;
  readonly unclear?: string;
}

export type StatementReader = (body: Tree) => StatementReading;

export const operation = (
  verb: string,
  capability: Capability,
  target: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Operation => ({ verb, capability, target, parameters });

/** Returns an operation on an object with a schema. */
export const operationOn = (
  verb: string,
  capability: Capability,
  object: string,
  { target, schema, database }: QualifiedName,
  parameters: Readonly<Record<string, unknown>> = {},
): Operation =>
  operation(verb, capability, target, {
    object,
    schema,
    ...(database !== undefined && { database }),
    ...parameters,
  });
