/** A control with its label, and a hint or an error that a screen reader reads with it. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Attributes that connect a control to its field. */
interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Renders the control: `{(tied) => <input {...tied} />}`. */
  readonly children: (tied: FieldAttributes) => ComponentChildren;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = hint !== undefined || error !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described && { 'aria-describedby': `${id}-hint` }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      {described && (
        <p id={`${id}-hint`} class={error === undefined ? 'hint' : 'hint bad'}>
          {error !== undefined && <Icon of="bad" />}
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** Values with their labels, in order. */
  readonly options: readonly (readonly [value: Value, word: string])[];
  readonly choose: (value: Value) => void;
}

/** A field with a list to choose from. */
export const Choice = <Value extends string>({ label, value, options, choose }: ChoiceProps<Value>) => (
  <Field label={label}>
    {(tied) => (
      <select {...tied} value={value} onChange={(event) => choose(event.currentTarget.value as Value)}>
        {options.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** Fields above a list, in one row if there is room. */
export const Toolbar = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="toolbar">{children}</div>
);
