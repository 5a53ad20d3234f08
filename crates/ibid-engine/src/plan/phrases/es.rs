//! Spanish.

use super::Phrases;

pub(super) const ES: Phrases = Phrases {
    tag: "es",
    placed: [
        "¿Qué opciones de {k} recomiendas en {m}? Nombra varias y explica por qué.",
        "¿Cuáles son las mejores opciones de {k} en {m}? Empieza por la mejor.",
        "¿Qué sitios web usarías para {k} en {m}?",
        "Nombra las empresas que tendrías en cuenta para {k} en {m}.",
        "Necesito {k} en {m}. ¿Con quién debería contactar?",
        "¿Quién ofrece {k} en {m} y es de fiar? Nombra algunos y explícalo.",
        "¿Quién ofrece {k} con buena relación calidad-precio en {m}? Dame nombres.",
        "Estoy en {m} y busco {k} cerca. ¿Qué lugares me sugieres?",
        "¿Qué alternativas hay si quiero {k} en {m}? Nombra las que conozcas.",
        "Compara los principales proveedores de {k} en {m}. ¿En qué destaca cada uno?",
    ],
    placeless: [
        "¿Qué opciones de {k} recomiendas? Nombra varias y explica por qué.",
        "¿Cuáles son las mejores opciones de {k}? Empieza por la mejor.",
        "¿Qué sitios web usarías para {k}?",
        "Nombra las empresas que tendrías en cuenta para {k}.",
        "Necesito {k}. ¿Con quién debería contactar?",
        "¿Quién ofrece {k} y es de fiar? Nombra algunos y explícalo.",
        "¿Quién ofrece {k} con buena relación calidad-precio? Dame nombres.",
        "Busco {k}. ¿Cuáles me sugieres?",
        "¿Qué alternativas hay si quiero {k}? Nombra las que conozcas.",
        "Compara los principales proveedores de {k}. ¿En qué destaca cada uno?",
    ],
    qualities: [
        "{k} a buen precio",
        "{k} con muy buenas opiniones",
        "{k} de confianza",
        "{k} con experiencia",
        "{k} de gestión independiente",
        "{k} de gama alta",
        "{k} con buenas recomendaciones",
        "{k} con larga trayectoria",
        "{k} de fácil acceso",
    ],
    segments: [
        "{k} para familias",
        "{k} para pequeñas empresas",
        "{k} para principiantes",
        "{k} para profesionales",
        "{k} para estudiantes",
        "{k} con poca antelación",
    ],
};
