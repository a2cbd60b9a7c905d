import { ColorInput, Fieldset, Select, SimpleGrid, Stack, TagsInput } from '@mantine/core';
import { Theme } from '../../../shared/contract/theme.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { ThemePreview } from './theme-preview.tsx';

interface ThemeFieldsProps {
  theme: Theme;
  problem: string | undefined;
  onChange<Name extends keyof Theme>(name: Name, value: Theme[Name]): void;
}

const { font, width, scheme, sections } = Theme.shape;
/** The choices of the theme are the contract's. */
const choices = { font: font.options, width: width.options, scheme: scheme.options };
const sectionNames = sections.unwrap().options;

/** How the public site looks. */
export function ThemeFields({ theme, problem, onChange }: ThemeFieldsProps) {
  return (
    <Fieldset legend={texts.site.theme} radius="lg">
      <Stack gap="md">
        <ColorInput
          label={texts.site.accent}
          description={Theme.shape.accent.meta()?.description}
          value={theme.accent}
          error={problem}
          withEyeDropper={false}
          onChange={(accent) => onChange('accent', accent)}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {(['font', 'width', 'scheme'] as const).map((name) => (
            <Select
              key={name}
              label={capitalised(name)}
              data={choices[name].map((value) => ({ value, label: capitalised(value) }))}
              value={theme[name]}
              allowDeselect={false}
              onChange={(value) => onChange(name, Theme.shape[name].parse(value))}
            />
          ))}
        </SimpleGrid>
        <TagsInput
          label={texts.site.sections}
          description={texts.site.sectionsHelp}
          data={[...sectionNames]}
          value={theme.sections}
          onChange={(names) => {
            const known = names.filter((name): name is (typeof sectionNames)[number] =>
              sectionNames.some((section) => section === name),
            );
            onChange('sections', known);
          }}
        />
        {Theme.safeParse(theme).success && <ThemePreview theme={theme} />}
      </Stack>
    </Fieldset>
  );
}
