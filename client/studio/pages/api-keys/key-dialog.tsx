import { TagsInput, TextInput } from '@mantine/core';
import { CreateApiKey, UpdateApiKey } from '../../../../shared/contract/features/api-keys.ts';
import type { Scope } from '../../../../shared/contract/scopes.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { found } from '../../data/records.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { MomentInput } from '../../forms/moment-input.tsx';
import { inputOf, textOf } from '../../forms/text-of.ts';
import { useDialogForm } from '../../forms/use-dialog-form.ts';
import { tagOf } from '../../forms/write-on-top.ts';
import { texts } from '../../texts/texts.ts';
import { ScopePicker } from './scope-picker.tsx';

export type ApiKey = OutputOf<ApiClient['admin']['apiKeys']['list']>['data'][number];

interface KeyDialogProps {
  /** Null for a key to be made. */
  edited: ApiKey | null;
  onClose(): void;
  /** Gets the full key, which nobody can see again. */
  onCreated(key: string): void;
}

interface KeyValues {
  name: string;
  scopes: Scope[];
  allowed_origins: string[];
  expiry: Date | null;
}

/** Makes or changes an API key. */
export function KeyDialog({ edited, onClose, onCreated }: KeyDialogProps) {
  const { admin } = useApi();
  const { update, create, list } = admin.apiKeys;
  const changeOf = (id: string) => ({
    read: async () => savedOf(found((await list.query()).data, id)),
    write: (input: object, options: { ifMatch?: string | undefined } = {}) =>
      update.mutate(UpdateApiKey.parse({ id, ...input }), options),
  });
  const make = {
    name: 'api-keys',
    send: (input: object, options: { idempotencyKey: string }) =>
      create.mutate(CreateApiKey.parse(input), options),
    change: ({ id }: { id: string }, input: object) => changeOf(id).write(input),
  };
  const form = useDialogForm<KeyValues, OutputOf<typeof create>>({
    initial: valuesOf(edited),
    contract: edited ? UpdateApiKey.omit({ id: true }) : CreateApiKey,
    way: edited ? { change: { tag: tagOf(edited.updated), ...changeOf(edited.id) } } : { make },
    refreshes: ['api-keys'],
    onClose,
    done: (made) => {
      if (!made) return texts.common.changesSaved;
      onCreated(made.key);
      return null;
    },
  });
  return (
    <FormDialog
      title={edited ? texts.keys.edit(edited.name) : texts.keys.add}
      action={edited ? texts.common.save : texts.keys.add}
      form={form}
      onClose={onClose}
    >
      <TextInput {...texts.keys.name} {...textOf(form, 'name')} data-autofocus />
      <ScopePicker {...inputOf(form, 'scopes')} />
      <TagsInput
        {...texts.keys.origins}
        placeholder={form.values.allowed_origins.length === 0 ? 'https://ada.example.com' : ''}
        acceptValueOnBlur
        {...inputOf(form, 'allowed_origins')}
      />
      <MomentInput {...texts.keys.expires} {...inputOf(form, 'expiry')} />
    </FormDialog>
  );
}

const savedOf = (key: ApiKey) => ({ values: valuesOf(key), tag: tagOf(key.updated) });

const valuesOf = (key: ApiKey | null): KeyValues => ({
  name: key?.name ?? '',
  scopes: key?.scopes ?? [],
  allowed_origins: key?.allowed_origins ?? [],
  expiry: key?.expiry ?? null,
});
