export * from '#core/kernel/json-fields.ts';
