/** The shape of attribute values and items. */

/** One value, keyed by its type. */
export interface Attribute {
  readonly S?: string;
  readonly N?: string;
  readonly B?: Uint8Array;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly Uint8Array[];
  readonly L?: readonly Attribute[];
  readonly M?: Item;
}

export type Item = Record<string, Attribute>;
export type AttributeType = keyof Attribute;
