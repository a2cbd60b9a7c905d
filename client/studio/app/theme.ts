import {
  ActionIcon,
  Badge,
  Button,
  Combobox,
  createTheme,
  Input,
  type MantineColorsTuple,
  Modal,
  Paper,
  PasswordInput,
  type SelectProps,
  Tooltip,
} from '@mantine/core';
import { strings } from '../strings/ui-strings.ts';

const iris: MantineColorsTuple = [
  '#f4f4ff',
  '#e6e7ff',
  '#cbcdff',
  '#aeb1fb',
  '#8d90f0',
  '#6e6ade',
  '#5b5bd6',
  '#5151cd',
  '#4341b5',
  '#2f2c86',
];

const gray: MantineColorsTuple = [
  '#fafafb',
  '#f3f3f5',
  '#e8e8ec',
  '#dddde3',
  '#c9c9d1',
  '#a5a6b0',
  '#70717d',
  '#54555f',
  '#383941',
  '#1c1d22',
];

const dark: MantineColorsTuple = [
  '#e3e4e8',
  '#b6b8c0',
  '#9a9ca6',
  '#62646e',
  '#34363d',
  '#2a2c32',
  '#1e1f24',
  '#17181c',
  '#121317',
  '#0d0e11',
];

/** Theme of the studio: one accent color, neutral grays, and shadows only below floating elements. */
export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 6, dark: 6 },
  colors: { iris, gray, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    Button: Button.extend({
      defaultProps: { size: 'sm' },
      // Mantine centers the loader by a transition, which reduced motion disables.
      styles: { loader: { transform: 'translate(-50%, -50%)' } },
    }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Badge: Badge.extend({
      defaultProps: { variant: 'light', radius: 'sm', size: 'sm', tt: 'none', fw: 500 },
    }),
    // With `absolute`, opening a list scrolls its panel to the top on phones.
    Combobox: Combobox.extend({ defaultProps: { floatingStrategy: 'fixed' } }),
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'], withAsterisk: false },
    }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        radius: 'lg',
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': strings.common.close },
        // Without this role, a dialog's header would be a banner landmark, of which the page already has one on a
        // phone.
        attributes: { header: { role: 'presentation' } },
      },
    }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': strings.session.showPassword } },
    }),
    Paper: Paper.extend({ defaultProps: { radius: 'lg' } }),
    // Without `Select.extend`, which would load the component with the first screens.
    Select: { defaultProps: { allowDeselect: false } satisfies Partial<SelectProps> },
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 400, withArrow: false } }),
  },
});
