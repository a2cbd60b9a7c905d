import { Checkbox, Collapse, Stack, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { covers, type McpScope } from '../../../../shared/contract/scopes.ts';
import { TimeInput } from '../../forms/time-input.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import classes from './connect.module.css';

const labels = strings.connect;

export interface Grant {
  scopes: readonly McpScope[];
  ends_at: Date | null;
}

/** True if `scope` is not in `scopes`, but one of them includes it. */
const isWithin = (scopes: readonly McpScope[], scope: McpScope) =>
  !scopes.includes(scope) && covers(scopes, scope);

/** Removes scopes that another one includes, so that no hidden checkbox grants a scope whose own checkbox is clear. */
export const withoutWithin = (scopes: readonly McpScope[]): McpScope[] =>
  scopes.filter(
    (scope) =>
      !isWithin(
        scopes.filter((one) => one !== scope),
        scope,
      ),
  );

interface OfferedScope {
  scope: McpScope;
  words: string;
  dangerous: boolean;
  /** True if the assistant requested the scope, so that its checkbox is visible from the beginning. */
  asked: boolean;
}

interface GrantFieldsProps {
  value: Grant;
  offered: readonly OfferedScope[];
  onChange(grant: Grant): void;
}

/** Checkboxes for an assistant's scopes, and its end date. */
export function GrantFields({ value, offered, onChange }: GrantFieldsProps) {
  const [showsMore, { toggle }] = useDisclosure();
  const { scopes } = value;
  const change = (ticked: string[]) =>
    onChange({
      ...value,
      scopes: withoutWithin(
        offered
          .map(({ scope }) => scope)
          .filter((scope) => ticked.includes(scope) && !isWithin(scopes, scope)),
      ),
    });
  const boxesOf = (shown: readonly OfferedScope[]) =>
    shown.map(({ scope, words: label }) => (
      <Checkbox key={scope} value={scope} label={label} disabled={isWithin(scopes, scope)} />
    ));
  const boxes = (shown: readonly OfferedScope[]) => {
    const dangerous = shown.filter((one) => one.dangerous);
    return (
      <Stack gap="sm">
        {boxesOf(shown.filter((one) => !one.dangerous))}
        {dangerous.length > 0 && <Note>{labels.dangerous}</Note>}
        {boxesOf(dangerous)}
      </Stack>
    );
  };
  const requested = offered.flatMap(({ scope, asked: requested }) => (requested ? [scope] : []));
  const isFirst = ({ scope, asked: isRequested }: OfferedScope) =>
    isRequested && !isWithin(withoutWithin(requested), scope);
  const more = offered.filter((one) => !isFirst(one));
  return (
    <>
      <Checkbox.Group
        label={labels.may}
        description={labels.mayLead}
        value={offered.map(({ scope }) => scope).filter((scope) => covers(scopes, scope))}
        onChange={change}
      >
        <Stack gap="md" mt="md">
          {boxes(offered.filter(isFirst))}
          {more.length > 0 && (
            <div>
              <UnstyledButton className={classes.more} onClick={toggle} aria-expanded={showsMore}>
                {showsMore ? labels.fewer : labels.more}
              </UnstyledButton>
              <Collapse expanded={showsMore}>{boxes(more)}</Collapse>
            </div>
          )}
        </Stack>
      </Checkbox.Group>
      <TimeInput
        {...labels.ends}
        value={value.ends_at}
        onChange={(ends_at) => onChange({ ...value, ends_at })}
      />
    </>
  );
}
