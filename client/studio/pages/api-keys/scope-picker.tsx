import { Checkbox, Collapse, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Scope, scopeNames, scopes } from '../../../../shared/contract/scopes.ts';
import { capitalised } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';
import classes from './scope-picker.module.css';

interface ScopePickerProps {
  value: readonly Scope[];
  error: string | undefined;
  onChange(scopes: Scope[]): void;
}

const isForAssistants = (scope: Scope) => scope.startsWith('mcp:');
/** `mcp:posts:read` opens one resource, `mcp:read` all. */
const isNarrow = (scope: Scope) => scope.split(':').length > 2;

const groups = [
  { label: texts.keys.groups.v1, names: scopeNames.filter((name) => !name.includes(':')) },
  {
    label: texts.keys.groups.v2,
    names: scopeNames.filter((name) => name.includes(':') && !isForAssistants(name)),
  },
  {
    label: texts.keys.groups.assistants,
    names: scopeNames.filter((name) => isForAssistants(name) && !isNarrow(name)),
  },
];

const narrow = scopeNames.filter((name) => isForAssistants(name) && isNarrow(name));

/** What a key may do, each with what it opens. */
export function ScopePicker({ value, error, onChange }: ScopePickerProps) {
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
      label={texts.keys.scopes}
      value={[...value]}
      onChange={change}
      error={error && texts.keys.scopesMissing}
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
            {showsNarrow ? texts.keys.fewerScopes : texts.keys.moreScopes}
          </UnstyledButton>
          <Collapse expanded={showsNarrow}>
            <div className={classes.grid}>{narrow.map(checkboxFor)}</div>
          </Collapse>
        </div>
      </Stack>
    </Checkbox.Group>
  );
}
