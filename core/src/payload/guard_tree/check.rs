//! What a guard means: a typed reading of a leaf's code.
//!
//! The code is Python that nobody runs; `GuardBuilder` in `torch/_dynamo/guards.py` writes it, one method a
//! form. A form that is not known is [`Check::Other`].

mod read;

use alloc::vec::Vec;

/// What a guard checks. Text is as it stands in the code; [`super::normalise_source`] makes sources comparable.
#[derive(Debug, Clone, PartialEq)]
pub enum Check<'a> {
    /// A tensor's properties (`TENSOR_MATCH`).
    TensorMatch {
        /// The tensor.
        source: &'a str,
        /// Its Python class: `Tensor`, `Parameter`.
        class: &'a str,
        /// Its dispatch keys: `CPU`, `AutogradCPU`, …
        dispatch_keys: Vec<&'a str>,
        /// Its dtype: `torch.float32`.
        dtype: &'a str,
        /// Index of its device; `None` where its kind of device has none.
        device: Option<&'a str>,
        /// Whether it takes part in autograd; `None` where that could not be read.
        requires_grad: Option<bool>,
        /// Its sizes, in elements; `None` for a size that may be any.
        size: Vec<Option<i64>>,
        /// Its strides, in elements; `None` for one that may be any.
        stride: Vec<Option<i64>>,
    },
    /// A value (`EQUALS_MATCH`).
    Equals {
        /// What is compared.
        source: &'a str,
        /// The value, as Python prints it.
        value: &'a str,
    },
    /// The type of an object, by the type's id (`TYPE_MATCH`, `FAKE_SCRIPT_TYPE_MATCH`).
    Type {
        /// The object.
        source: &'a str,
        /// Address of the type; another one in each process.
        id: &'a str,
        /// The type, where the text names it: `<class 'tuple'>`, or the hint's `tuple`.
        name: Option<&'a str>,
        /// Whether the check passes over fake objects (`FAKE_SCRIPT_TYPE_MATCH`).
        fake_script: bool,
    },
    /// An object itself, by its id (`ID_MATCH`).
    Identity {
        /// The object.
        source: &'a str,
        /// Its address; another one in each process.
        id: &'a str,
        /// The object or its type, as 2.10 and later print it.
        object: Option<&'a str>,
        /// PyTorch's hint.
        hint: Option<&'a str>,
    },
    /// How many items there are (`LENGTH_CHECK`).
    Length {
        /// The sequence.
        source: &'a str,
        /// Items.
        length: &'a str,
    },
    /// How many items there are in a dictionary (`DICT_LENGTH`).
    DictLength {
        /// The dictionary.
        source: &'a str,
        /// Items.
        length: &'a str,
    },
    /// Whether a dictionary has a key (`DICT_CONTAINS`).
    DictContains {
        /// The dictionary.
        source: &'a str,
        /// The key, as Python prints it.
        key: &'a str,
        /// Whether it must be there.
        is_in: bool,
    },
    /// Whether a set has an item (`SET_CONTAINS`).
    SetContains {
        /// The set.
        source: &'a str,
        /// The item, as Python prints it.
        item: &'a str,
        /// Whether it must be there.
        is_in: bool,
    },
    /// The keys of a mapping, in their order (`MAPPING_KEYS_MATCH`, `DICT_KEYS`).
    MappingKeys {
        /// The mapping.
        source: &'a str,
        /// The keys, as Python prints them.
        keys: &'a str,
    },
    /// `is None` (`NONE_MATCH`).
    None {
        /// What is compared.
        source: &'a str,
    },
    /// `is not None` (`NOT_NONE`).
    NotNone {
        /// What is compared.
        source: &'a str,
    },
    /// That what a weak reference names still lives (`WEAKREF_ALIVE`, printed as `NOT_NONE`).
    WeakrefAlive {
        /// The reference, called.
        source: &'a str,
    },
    /// A boolean (`TRUE_MATCH`, `FALSE_MATCH`).
    Bool {
        /// What is compared.
        source: &'a str,
        /// What it must be.
        value: bool,
    },
    /// Whether an object has an attribute (`NO_HASATTR`, `DIMENSION_DYNAMIC_MARKING_GUARD`).
    HasAttr {
        /// The object.
        source: &'a str,
        /// The attribute.
        attribute: &'a str,
        /// Whether it must be there.
        present: bool,
    },
    /// That no two of these tensors are the same (`NO_TENSOR_ALIASING`).
    NoAliasing {
        /// The tensors.
        sources: Vec<&'a str>,
    },
    /// That two expressions give the same object (`OBJECT_ALIASING`).
    ObjectAliasing {
        /// One.
        a: &'a str,
        /// The other.
        b: &'a str,
    },
    /// Settings of the process (`GLOBAL_STATE`).
    GlobalState {
        /// What they must be, as JSON, since 2.8.
        against: Option<&'a str>,
    },
    /// One setting of the process, as lists of 2.1 and 2.2 print it: `___is_grad_enabled()`.
    Setting {
        /// Its name, without underscores before it.
        name: &'a str,
        /// Whether it must be on.
        on: bool,
    },
    /// The compiler's backend (2.3 and before).
    Backend {
        /// Its address.
        id: &'a str,
    },
    /// The modes that override torch functions (`TORCH_FUNCTION_MODE_STACK`).
    TorchFunctionModeStack,
    /// The default device (`DEFAULT_DEVICE`).
    DefaultDevice {
        /// The device or `None`, as Python prints it.
        device: &'a str,
    },
    /// The dimensions that were marked dynamic (`DYNAMIC_INDICES`).
    DynamicIndices {
        /// The tensor.
        source: &'a str,
        /// The attribute that holds them.
        attribute: &'a str,
        /// The dimensions, as Python prints the set.
        indices: &'a str,
    },
    /// What else was said of a tensor's dimensions: their range, bounds, ids of shapes (2.13 and later).
    DynamicMark {
        /// The tensor.
        source: &'a str,
        /// The attribute that holds it.
        attribute: &'a str,
        /// What it must be, as Python prints it.
        value: &'a str,
    },
    /// What a range's iterator will still give (`RANGE_ITERATOR_MATCH`).
    RangeIterator {
        /// The iterator.
        source: &'a str,
        /// Start, stop and step, as Python prints them.
        range: &'a str,
    },
    /// Items that a tuple's iterator will still give (`TUPLE_ITERATOR_LEN`).
    TupleIteratorLen {
        /// The iterator.
        source: &'a str,
        /// Items.
        length: &'a str,
    },
    /// A set of dispatch keys (`DISPATCH_KEY_SET_MATCH`).
    DispatchKeySet {
        /// The set.
        source: &'a str,
        /// What it must be.
        keys: &'a str,
    },
    /// A dictionary's version, a counter of the process (`DICT_VERSION`).
    DictVersion {
        /// The dictionary.
        source: &'a str,
        /// Its version.
        version: &'a str,
    },
    /// A tensor's memory (`DATA_PTR_MATCH`, to 2.7).
    DataPtr {
        /// The tensor.
        source: &'a str,
        /// Address of its memory.
        address: &'a str,
    },
    /// The level of forward-mode autograd (`DUAL_LEVEL_MATCH`).
    DualLevel {
        /// The level; -1 for none.
        level: &'a str,
    },
    /// Whether a number is NaN (`FLOAT_IS_NAN`, `COMPLEX_IS_NAN`).
    IsNan {
        /// The number.
        source: &'a str,
        /// Whether it must be.
        is_nan: bool,
    },
    /// Hooks for saved tensors (2.8 and later).
    SavedTensorsHooks {
        /// Their addresses, or `None`.
        ids: &'a str,
    },
    /// Transforms of torch.func that are active.
    FunctorchStack {
        /// Their states, as Python prints them.
        states: &'a str,
    },
    /// What sizes and other symbols must satisfy (`LAMBDA_GUARD`, `SYMBOLIC_SHAPE_GUARD`, and lists).
    ShapeGuard {
        /// The condition.
        expression: &'a str,
    },
    /// A guard of torch 2.0, which names an object and not what is checked.
    Named {
        /// The guard's type.
        class: &'a str,
        /// The object.
        source: &'a str,
        /// Expressions, or `None`.
        code: &'a str,
    },
    /// What describes the tensors within a tensor of a subclass (`TENSOR_SUBCLASS_METADATA_MATCH`, 2.5 and later,
    /// and `DTENSOR_SPEC_MATCH`). The guard says nothing of it.
    Metadata,
    /// Something else.
    Other {
        /// The code.
        code: &'a str,
    },
}

impl<'a> Check<'a> {
    /// The class of guards.cpp that checks this, or PyTorch's own word where there is none.
    #[must_use]
    pub fn class(&self) -> &'a str {
        match self {
            Check::TensorMatch { .. } => "TENSOR_MATCH",
            Check::Equals { .. } => "EQUALS_MATCH",
            Check::Type {
                fake_script: false, ..
            } => "TYPE_MATCH",
            Check::Type {
                fake_script: true, ..
            } => "FAKE_SCRIPT_TYPE_MATCH",
            Check::Identity { .. } => "ID_MATCH",
            Check::Length { .. } => "LENGTH_CHECK",
            Check::DictLength { .. } => "DICT_LENGTH",
            Check::DictContains { .. } => "DICT_CONTAINS",
            Check::SetContains { .. } => "SET_CONTAINS",
            Check::MappingKeys { .. } => "MAPPING_KEYS_MATCH",
            Check::None { .. } => "NONE_MATCH",
            Check::NotNone { .. } => "NOT_NONE",
            Check::WeakrefAlive { .. } => "WEAKREF_ALIVE",
            Check::Bool { .. } => "BOOL_MATCH",
            Check::HasAttr { .. } => "HASATTR",
            Check::NoAliasing { .. } => "NO_TENSOR_ALIASING",
            Check::ObjectAliasing { .. } => "OBJECT_ALIASING",
            Check::GlobalState { .. } | Check::Setting { .. } => "GLOBAL_STATE",
            Check::Backend { .. } => "BACKEND_MATCH",
            Check::TorchFunctionModeStack => "TORCH_FUNCTION_MODE_STACK",
            Check::DefaultDevice { .. } => "DEFAULT_DEVICE",
            Check::DynamicIndices { .. } | Check::DynamicMark { .. } => "DYNAMIC_INDICES",
            Check::RangeIterator { .. } => "RANGE_ITERATOR_MATCH",
            Check::TupleIteratorLen { .. } => "TUPLE_ITERATOR_LEN",
            Check::DispatchKeySet { .. } => "DISPATCH_KEY_SET_MATCH",
            Check::DictVersion { .. } => "DICT_VERSION",
            Check::DataPtr { .. } => "DATA_PTR_MATCH",
            Check::DualLevel { .. } => "DUAL_LEVEL_MATCH",
            Check::IsNan { .. } => "FLOAT_IS_NAN",
            Check::SavedTensorsHooks { .. } => "AUTOGRAD_SAVED_TENSORS_HOOKS",
            Check::FunctorchStack { .. } => "FUNCTORCH_STACK_MATCH",
            Check::ShapeGuard { .. } => "SHAPE_ENV",
            Check::Named { class, .. } => class,
            Check::Metadata => "TENSOR_SUBCLASS_METADATA_MATCH",
            Check::Other { .. } => "",
        }
    }
}
