import { Checkbox, Collapse, Stack, TagsInput, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { CreateApiKey, UpdateApiKey } from '../../../../shared/contract/features/api-keys.ts';
import { type Scope, scopeNames, scopes } from '../../../../shared/contract/scopes.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { found } from '../../data/records.ts';
import { wayOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { inputOf, textOf } from '../../forms/input-props.ts';
import { TimeInput } from '../../forms/time-input.tsx';
import { useDialogForm } from '../../forms/use-form.ts';
import { capitalised } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import classes from './scope-picker.module.css';

export type ApiKey = OutputOf<ApiClient['admin']['apiKeys']['list']>['data'][number];

interface KeyDialogProps {
  /** The key to change; null for a new one. */
  edited: ApiKey | null;
  onClose(): void;
  /** Called with the full key, which is shown only once. */
  onCreated(key: string): void;
}

interface KeyValues {
  name: string;
  scopes: Scope[];
  allowed_origins: string[];
  expiry: Date | null;
}

const nothing: KeyValues = { name: '', scopes: [], allowed_origins: [], expiry: null };

export function KeyDialog({ edited, onClose, onCreated }: KeyDialogProps) {
  const { admin } = useApi();
  const { update, create, list } = admin.apiKeys;
  const form = useDialogForm<KeyValues, OutputOf<typeof create>>({
    initial: edited ? valuesOf(edited) : nothing,
    contract: edited ? UpdateApiKey.omit({ id: true }) : CreateApiKey,
    way: wayOf(edited, {
      name: 'api-keys',
      valuesOf,
      read: async (id) => found((await list.query()).data, id),
      create: (input, options) => create.mutate(CreateApiKey.parse(input), options),
      update: (input, options) => update.mutate(UpdateApiKey.parse(input), options),
    }),
    refreshes: ['api-keys'],
    onClose,
    done: (made) => {
      if (!made) return strings.common.changesSaved;
      onCreated(made.key);
      return null;
    },
  });
  return (
    <FormDialog
      title={edited ? strings.keys.edit(edited.name) : strings.keys.add}
      action={edited ? strings.common.save : strings.keys.add}
      form={form}
      onClose={onClose}
    >
      <TextInput {...strings.keys.name} {...textOf(form, 'name')} data-autofocus />
      <ScopePicker {...inputOf(form, 'scopes')} />
      <TagsInput
        {...strings.keys.origins}
        placeholder={form.values.allowed_origins.length === 0 ? 'https://ada.example.com' : ''}
        acceptValueOnBlur
        {...inputOf(form, 'allowed_origins')}
      />
      <TimeInput {...strings.keys.expires} {...inputOf(form, 'expiry')} />
    </FormDialog>
  );
}

const valuesOf = ({ name, scopes, allowed_origins, expiry }: ApiKey): KeyValues => ({
  name,
  scopes,
  allowed_origins,
  expiry,
});

interface ScopePickerProps {
  value: readonly Scope[];
  error: string | undefined;
  onChange(scopes: Scope[]): void;
}

const isForAssistants = (scope: Scope) => scope.startsWith('mcp:');
/** True for a scope of one resource, such as `mcp:posts:read`; false for one of all resources, such as `mcp:read`. */
const isNarrow = (scope: Scope) => scope.split(':').length > 2;

const groups = [
  { label: strings.keys.groups.v1, names: scopeNames.filter((name) => !name.includes(':')) },
  {
    label: strings.keys.groups.v2,
    names: scopeNames.filter((name) => name.includes(':') && !isForAssistants(name)),
  },
  {
    label: strings.keys.groups.assistants,
    names: scopeNames.filter((name) => isForAssistants(name) && !isNarrow(name)),
  },
];

const narrow = scopeNames.filter((name) => isForAssistants(name) && isNarrow(name));

/** Checkboxes for a key's scopes, each with its meaning. */
function ScopePicker({ value, error, onChange }: ScopePickerProps) {
  const [showsNarrow, { toggle }] = useDisclosure(value.some(isNarrow));
  const change = (names: string[]) => onChange(scopeNames.filter((name) => names.includes(name)));
  const checkboxFor = (name: Scope) => (
    <Checkbox
      key={name}
      value={name}
      size="sm"
      label={<span className={classes.name}>{name}</span>}
      description={capitalised(scopes[name].replace('For assistants: ', ''))}
    />
  );
  return (
    <Checkbox.Group
      label={strings.keys.scopes}
      value={[...value]}
      onChange={change}
      error={error && strings.keys.scopesMissing}
    >
      <Stack gap="md" mt={6}>
        {groups.map(({ label, names }) => (
          <div key={label}>
            <Text fz={12.5} c="dimmed" mb={6}>
              {label}
            </Text>
            <div className={classes.grid}>{names.map(checkboxFor)}</div>
          </div>
        ))}
        <div>
          <UnstyledButton className={classes.more} onClick={toggle} aria-expanded={showsNarrow}>
            {showsNarrow ? strings.keys.fewerScopes : strings.keys.moreScopes}
          </UnstyledButton>
          <Collapse expanded={showsNarrow}>
            <div className={classes.grid}>{narrow.map(checkboxFor)}</div>
          </Collapse>
        </div>
      </Stack>
    </Checkbox.Group>
  );
}
